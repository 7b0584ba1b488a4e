//! The process in which a package is tried: both of its ends, and what they say to each other.
//!
//! The referee starts its own program as `referee sandbox`, writes [`Question`]s to its input and reads [`Answer`]s from
//! its output, each with its length before it. The process ends when its input does.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use interpreter::budget;
use interpreter::package::Configuration;
use interpreter::play::PackageTexts;
use prost::Message;

use super::bounds::{Bounds, Ended};
use super::judge::{self, Offer, Purpose, Verdict};
use referee_contract::{catalog, v1};

/// What the referee asks. The package comes with the first question.
#[derive(Clone, PartialEq, Message)]
struct Question {
    #[prost(message, optional, tag = "1")]
    package: Option<v1::Package>,
    /// None asks what the package offers.
    #[prost(message, optional, tag = "2")]
    configuration: Option<v1::Configuration>,
    #[prost(enumeration = "Purpose", tag = "3")]
    purpose: i32,
}

#[derive(Clone, PartialEq, Message)]
struct Answer {
    /// Of a question for the offer.
    #[prost(message, repeated, tag = "1")]
    configurations: Vec<v1::Configuration>,
    #[prost(bool, tag = "2")]
    playable: bool,
    #[prost(message, repeated, tag = "3")]
    diagnostics: Vec<v1::Diagnostic>,
    /// Units of [work](interpreter::budget) that it took.
    #[prost(uint64, tag = "4")]
    units: u64,
}

/// Bytes of an answer at most: a thousand diagnostics, each with a long text.
const LONGEST: usize = 16 << 20;

/// Bytes of what a process says of its end that are looked at.
const LAST_WORDS: u64 = 16 << 10;

/// After so long it is looked whether somebody still waits for the answer.
const LOOK: Duration = Duration::from_millis(5);

/// Bytes of the stack of whatever compiles, as threads of the referee have.
const STACK: usize = 2 << 20;

// ---- the referee's end

/// A process that tries one package. It ends with this.
pub(super) struct Process {
    child: Child,
    /// Closed when the process is to end.
    input: Option<ChildStdin>,
    answers: Receiver<Answer>,
    last_words: Receiver<String>,
    bounds: Bounds,
    /// What the first question brings.
    package: Option<v1::Package>,
}

impl Process {
    pub(super) fn start(
        program: &Path,
        bounds: Bounds,
        texts: &PackageTexts,
    ) -> Result<Process, Ended> {
        let failed = |error: io::Error| Ended::Failed(format!("cannot start the sandbox: {error}"));
        let mut child = Command::new(program)
            .arg("sandbox")
            .args(["--mib", &bounds.mib.to_string()])
            .args(["--seconds", &bounds.seconds.to_string()])
            .env_clear()
            // Else a gibibyte counts as taken before anything is done.
            .env("MIMALLOC_ARENA_EAGER_COMMIT", "0")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (input, output, errors) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (answer, answers) = sync_channel(1);
        let (word, last_words) = sync_channel(1);
        let process = Process {
            child,
            input,
            answers,
            last_words,
            bounds,
            package: Some(packed(texts)),
        };
        // Where a thread cannot be made, the process ends with what was begun here.
        let thread = std::thread::Builder::new;
        thread()
            .spawn(move || output.map(|output| read_answers(output, &answer)))
            .map_err(failed)?;
        thread()
            .spawn(move || {
                let mut words = Vec::new();
                let errors = errors.map(|errors| errors.take(LAST_WORDS));
                let _ = errors.map(|mut errors| errors.read_to_end(&mut words));
                word.send(String::from_utf8_lossy(&words).into_owned())
            })
            .map_err(failed)?;
        Ok(process)
    }

    /// What the package offers.
    pub(super) fn offer(&mut self) -> Result<Offer, Ended> {
        let answer = self.ask(Question::default())?;
        Ok(Offer {
            configurations: answer.configurations.iter().map(configuration).collect(),
            mistake: answer.diagnostics.into_iter().next(),
        })
    }

    /// What comes of compiling it.
    pub(super) fn verdict(
        &mut self,
        configuration: &Configuration,
        purpose: Purpose,
    ) -> Result<Verdict, Ended> {
        let answer = self.ask(Question {
            configuration: Some(catalog::configuration(configuration)),
            purpose: purpose.into(),
            package: None,
        })?;
        Ok(Verdict {
            playable: answer.playable,
            diagnostics: answer.diagnostics,
        })
    }

    fn ask(&mut self, question: Question) -> Result<Answer, Ended> {
        let question = Question {
            package: self.package.take(),
            ..question
        };
        let bytes = question.encode_length_delimited_to_vec();
        let written = self.input.as_mut().map(|input| {
            input.write_all(&bytes)?;
            input.flush()
        });
        if !matches!(written, Some(Ok(()))) {
            return Err(self.ended());
        }
        loop {
            match self.answers.recv_timeout(LOOK) {
                Ok(answer) => {
                    budget::spend(answer.units, None);
                    return Ok(answer);
                }
                // If nobody waits any more, this is unwound, and the process ends.
                Err(RecvTimeoutError::Timeout) => budget::heed_stops(),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
            }
        }
    }

    /// Why the process has ended.
    fn ended(&mut self) -> Ended {
        self.input = None;
        let status = match self.child.wait() {
            Ok(status) => status,
            Err(error) => return Ended::Failed(error.to_string()),
        };
        let words = self.last_words.recv().unwrap_or_default();
        if used_up_its_time(status) {
            return Ended::Time(self.bounds.seconds);
        }
        // What Rust's standard library says before it gives up.
        if words.contains("memory allocation of") {
            return Ended::Memory(self.bounds.mib);
        }
        Ended::Failed(format!("the sandbox has ended, {status}: {}", words.trim()))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
fn used_up_its_time(status: std::process::ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    status.signal() == Some(rustix::process::Signal::XCPU.as_raw())
}

#[cfg(not(unix))]
fn used_up_its_time(_: std::process::ExitStatus) -> bool {
    false
}

fn read_answers(output: impl Read, answers: &SyncSender<Answer>) {
    let mut output = BufReader::new(output);
    while let Ok(Some(answer)) = read(&mut output) {
        if answers.send(answer).is_err() {
            return;
        }
    }
}

fn packed(texts: &PackageTexts) -> v1::Package {
    let files = texts.files.iter();
    v1::Package {
        files: files
            .map(|(path, text)| v1::PackageFile {
                path: path.clone(),
                text: text.clone(),
            })
            .collect(),
    }
}

// ---- the sandbox's end

/// Answers what is asked until the input ends.
///
/// # Errors
///
/// When input or output fails, or something is no question.
pub(super) fn answer(input: impl Read, output: impl Write + Send + 'static) -> io::Result<()> {
    let mut input = BufReader::new(input);
    let (ask, asked) = sync_channel::<Question>(1);
    let answering = std::thread::Builder::new().stack_size(STACK);
    answering.spawn(move || {
        let mut output = BufWriter::new(output);
        let mut texts = PackageTexts::default();
        for mut question in asked {
            if let Some(package) = question.package.take() {
                texts = unpacked(package);
            }
            let (answer, units) = budget::counted(|| answer_to(&question, &texts));
            let answer = Answer { units, ..answer };
            output.write_all(&answer.encode_length_delimited_to_vec())?;
            output.flush()?;
        }
        io::Result::Ok(())
    })?;
    while let Some(question) = read(&mut input)? {
        if ask.send(question).is_err() {
            return Err(io::Error::other("nothing more is answered"));
        }
    }
    // Whatever is still being worked at, nobody waits for it.
    Ok(())
}

fn answer_to(question: &Question, texts: &PackageTexts) -> Answer {
    let Some(asked) = &question.configuration else {
        let offer = judge::offer(texts);
        let configurations = offer.configurations.iter();
        return Answer {
            configurations: configurations.map(catalog::configuration).collect(),
            diagnostics: offer.mistake.into_iter().collect(),
            ..Answer::default()
        };
    };
    let verdict = judge::verdict(texts, &configuration(asked), question.purpose());
    Answer {
        playable: verdict.playable,
        diagnostics: verdict.diagnostics,
        ..Answer::default()
    }
}

fn unpacked(package: v1::Package) -> PackageTexts {
    let files = package.files.into_iter();
    let files = files.map(|file| (file.path, file.text)).collect();
    PackageTexts::new("package".to_owned(), files)
}

// ---- both

/// A configuration as it is asked for; what does not fit is a diagnostic.
pub fn configuration(asked: &v1::Configuration) -> Configuration {
    Configuration {
        players: u8::try_from(asked.players).unwrap_or(u8::MAX),
        modules: asked.modules.clone(),
        options: asked
            .options
            .iter()
            .map(|setting| (setting.option.clone(), setting.value))
            .collect(),
    }
}

/// The next message; none at the end.
fn read<M: Message + Default>(from: &mut impl BufRead) -> io::Result<Option<M>> {
    let wrong = |error: prost::DecodeError| io::Error::new(io::ErrorKind::InvalidData, error);
    let mut length = Vec::new();
    loop {
        let mut byte = [0];
        if from.read(&mut byte)? == 0 {
            return Ok(None);
        }
        length.push(byte[0]);
        if byte[0] < 0x80 {
            break;
        }
    }
    let length = prost::decode_length_delimiter(&length[..]).map_err(wrong)?;
    if length > LONGEST {
        return Err(io::Error::other("a message is too long"));
    }
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes)?;
    M::decode(&bytes[..]).map(Some).map_err(wrong)
}
