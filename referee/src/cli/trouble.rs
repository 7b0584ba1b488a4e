//! Why a command of the service failed.

/// Why a command failed, in words for whoever typed it. Exit code 2.
#[derive(Debug)]
pub struct Trouble {
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Trouble {
    /// Says what is wrong.
    pub fn new(what: impl Into<String>) -> Trouble {
        Trouble {
            what: what.into(),
            help: None,
        }
    }

    /// Says what to do about it.
    pub fn help(mut self, help: impl Into<String>) -> Trouble {
        self.help = Some(help.into());
        self
    }
}

impl<E: std::error::Error> From<E> for Trouble {
    fn from(error: E) -> Trouble {
        Trouble::new(error.to_string())
    }
}
