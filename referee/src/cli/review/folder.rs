//! Where `review.yaml` lies, and how one more acceptance comes into it.

use std::fs::{File, Permissions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use interpreter::diagnostic::Diagnostics;
use interpreter::package::{Acceptance, REVIEW};
use interpreter::source::Sources;

use crate::cli::out::Out;
use crate::cli::outcome::Failure;
use crate::cli::ruleset::Chosen;
use referee_report::diff::Side;
use referee_report::sign_off::audit::{Allowed, audit};
use referee_report::sign_off::days::date;
use referee_report::sign_off::layers::{Layer, Wrong, layers};
use referee_report::sign_off::signatures::{Verdict, signatures};
use referee_report::sign_off::things::Thing;
use referee_report::sign_off::written::{Accepting, accept, text};
use referee_store::clock::Clock;

/// A layer and the folder in which it is accepted.
pub struct Desk {
    /// The layer.
    pub layer: Layer,
    /// Its folder; none of a ruleset that comes with the program.
    folder: Option<PathBuf>,
    /// What to call it.
    called: String,
    has_changed: bool,
}

/// The layers that were chosen.
///
/// # Errors
///
/// The mistakes of one of them.
pub fn desks(chosen: &Chosen) -> Result<Vec<Desk>, Wrong> {
    let side = Side {
        called: chosen.called.clone(),
        base: chosen.base.clone(),
        house: chosen.house.clone(),
        modules: chosen.modules.clone(),
        options: chosen.options.clone(),
        trees: chosen.trees.clone(),
    };
    let all = layers(&side)?.into_iter().map(|layer| Desk {
        folder: chosen.folder(layer.module.as_deref()),
        called: layer
            .module
            .clone()
            .unwrap_or_else(|| chosen.called.clone()),
        layer,
        has_changed: false,
    });
    Ok(all.collect())
}

/// The layers that were chosen; none if one has mistakes, which are then told.
pub fn desks_or_mistakes(chosen: &Chosen, out: &mut Out<'_>) -> Option<Vec<Desk>> {
    match desks(chosen) {
        Ok(desks) => Some(desks),
        Err(wrong) => {
            let (sources, diagnostics) = *wrong;
            out.diagnostics_of(&sources, &diagnostics);
            None
        }
    }
}

/// Writes a file of a layer as a whole or not at all.
///
/// # Errors
///
/// When nobody may write there.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let written = || {
        // A link stays one.
        let file = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let part = file.with_file_name(format!(".{name}.{}.part", std::process::id()));
        let before = std::fs::metadata(&file)
            .map(|known| known.permissions())
            .ok();
        if before.as_ref().is_some_and(Permissions::readonly) {
            return Err(ErrorKind::PermissionDenied.into());
        }
        let done = File::create(&part).and_then(|mut made| {
            made.write_all(text.as_bytes())?;
            if let Some(before) = before {
                made.set_permissions(before)?;
            }
            made.sync_all()?;
            std::fs::rename(&part, &file)
        });
        if done.is_err() {
            // What is half written is nobody's.
            let _ = std::fs::remove_file(&part);
        }
        done
    };
    written().map_err(|error: std::io::Error| {
        Failure::Usage(format!(
            "`{}` cannot be written: {error}; look whether you may write there",
            path.display()
        ))
    })
}

/// What is written of somebody who accepts something today.
pub fn accepting(by: &str, comment: Option<&str>) -> Accepting {
    Accepting {
        by: by.trim().to_owned(),
        on: date(Clock::system().now_ms()),
        comment: comment.map(str::to_owned),
    }
}

impl Desk {
    /// Its `review.yaml`.
    pub fn file(&self) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(REVIEW))
    }

    /// The file of signatures beside it.
    pub fn signatures(&self) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{REVIEW}.sig")))
    }

    /// What is in the file of signatures, if there is one.
    ///
    /// # Errors
    ///
    /// When it is there and cannot be read.
    pub fn signed(&self) -> Result<Option<String>, Failure> {
        let Some(path) = self.signatures() else {
            return Ok(None);
        };
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Failure::Usage(format!("`{}`: {error}", path.display()))),
        }
    }

    /// What is wrong with its acceptances and signatures, with the texts that it is told of.
    ///
    /// # Errors
    ///
    /// When the file of signatures cannot be read.
    pub fn audit(&self, allowed: &Allowed<'_>) -> Result<(Sources, Diagnostics), Failure> {
        let path = self.signatures().map_or_else(
            || format!("{REVIEW}.sig"),
            |path| path.display().to_string(),
        );
        let signed = self.signed()?;
        Ok(audit(&self.layer, (&path, signed.as_deref()), allowed))
    }

    /// What it is called.
    pub fn called(&self) -> &str {
        &self.called
    }

    /// Its file, to write into.
    ///
    /// # Errors
    ///
    /// When it comes with the program.
    pub fn writable(&self) -> Result<PathBuf, Failure> {
        self.file().ok_or_else(|| {
            Failure::Usage(format!(
                "`{}` comes with this program, where nothing can be written: name its folder",
                self.called
            ))
        })
    }

    /// Writes that a thing is accepted as it is.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn accept(&mut self, thing: &Thing, accepting: &Accepting) -> Result<(), Failure> {
        self.change(|accepted| accept(accepted, thing, accepting))
    }

    /// Writes that something is accepted or withdrawn.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn change(&mut self, change: impl FnOnce(&mut Vec<Acceptance>)) -> Result<(), Failure> {
        let path = self.writable()?;
        let mut accepted = self.layer.accepted().to_vec();
        change(&mut accepted);
        let written = text(&accepted, &self.layer.things);
        write(&path, &written)?;
        self.layer.set_accepted(accepted);
        self.has_changed = true;
        Ok(())
    }

    /// Says that signatures hold no more, if there are any and the file has changed.
    pub fn tell_of_signatures(&self, out: &mut Out<'_>) {
        if let Some(path) = self.signatures()
            && self.has_changed
        {
            tell_of_signatures(&path, out);
        }
    }

    /// Whether somebody has signed the file as it was, and not as it is.
    pub fn was_signed_before(&self) -> bool {
        let Ok(Some(file)) = self.signed() else {
            return false;
        };
        let text = self.layer.text().unwrap_or_default();
        let mut made = signatures(&file).into_iter().flatten();
        made.any(|signature| signature.verdict(text) == Verdict::OtherText)
    }
}

/// Says that signatures hold no more, if there are any. It is asked of a file that has changed.
pub fn tell_of_signatures(path: &Path, out: &mut Out<'_>) {
    if path.is_file() {
        out.note(format_args!(
            "`{}` is of the file as it was: whoever signed it signs again",
            path.display()
        ));
    }
}
