//! A server of somebody else, which does what a test wants.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What a server was sent.
#[derive(Clone, Debug)]
pub struct Heard {
    pub path: String,
    /// In lower case, with their values.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Heard {
    /// The value of a header.
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map_or("", |(_, value)| value)
    }
}

/// How it answers.
#[derive(Clone, Debug)]
pub enum Answer {
    /// With this status and body.
    Says(u16, String),
    /// It sends whoever asks elsewhere.
    Redirects(String),
    /// It never ends.
    Endless,
    /// It says nothing.
    Silent,
    /// It hangs up.
    HangsUp,
}

type Answers = Arc<dyn Fn(&Heard) -> Answer + Send + Sync>;

/// A server.
pub struct WebServer {
    pub address: SocketAddr,
    heard: Arc<Mutex<Vec<Heard>>>,
    task: tokio::task::JoinHandle<()>,
}

impl WebServer {
    /// Begins to answer so, at an address of this machine.
    pub async fn start(answers: impl Fn(&Heard) -> Answer + Send + Sync + 'static) -> WebServer {
        WebServer::at(SocketAddr::from(([127, 0, 0, 1], 0)), answers).await
    }

    pub async fn at(
        address: SocketAddr,
        answers: impl Fn(&Heard) -> Answer + Send + Sync + 'static,
    ) -> WebServer {
        let listener = TcpListener::bind(address).await.expect("an address");
        let address = listener.local_addr().expect("an address");
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (answers, all): (Answers, _) = (Arc::new(answers), heard.clone());
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, answers.clone(), all.clone()));
            }
        });
        WebServer {
            address,
            heard,
            task,
        }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// All that it was sent.
    pub fn heard(&self) -> Vec<Heard> {
        self.heard.lock().expect("no panic").clone()
    }

    /// What it was sent, as soon as that is so much.
    pub async fn hears(&self, count: usize) -> Vec<Heard> {
        for _ in 0..1000 {
            let heard = self.heard();
            if heard.len() >= count {
                return heard;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("it heard {:?} only", self.heard());
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(mut stream: TcpStream, answers: Answers, all: Arc<Mutex<Vec<Heard>>>) {
    let mut bytes = Vec::new();
    let heard = loop {
        let mut more = [0; 4096];
        match stream.read(&mut more).await {
            Ok(count) if count > 0 => bytes.extend(&more[..count]),
            _ => return,
        }
        if let Some(heard) = read(&bytes) {
            break heard;
        }
    };
    let answer = answers(&heard);
    all.lock().expect("no panic").push(heard);
    let said = match answer {
        Answer::Says(status, body) => format!(
            "HTTP/1.1 {status} so\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ),
        Answer::Redirects(to) => {
            format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n")
        }
        Answer::Endless => {
            let head = "HTTP/1.1 200 OK\r\n\r\n{\"keys\": [";
            if stream.write_all(head.as_bytes()).await.is_ok() {
                while stream.write_all(&[b' '; 4096]).await.is_ok() {}
            }
            return;
        }
        Answer::Silent => {
            tokio::time::sleep(Duration::from_secs(60)).await;
            return;
        }
        Answer::HangsUp => return,
    };
    // Whoever asked may have gone.
    let _ = stream.write_all(said.as_bytes()).await;
    let _ = stream.shutdown().await;
}

/// A request, once all of it is there.
fn read(bytes: &[u8]) -> Option<Heard> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers: Vec<(String, String)> = headers
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.map_or(0, |(_, length)| length.parse().unwrap_or(0));
    let body = bytes.get(end + 4..end + 4 + length)?.to_vec();
    Some(Heard {
        path,
        headers,
        body,
    })
}
