//! The texts of one folder of a package.

/// The texts of one package: its base folder or a module's folder elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackageTexts {
    /// Where the folder is, for messages: `rulesets/puerto-rico`; may be empty.
    pub path: String,
    /// Path inside the package (`ruleset.yaml`, `rules/captain.rules`, `modules/nobles/module.yaml`) and text.
    pub files: Vec<(String, String)>,
}

impl PackageTexts {
    /// A folder of files, in any order. Where the bytes of a file are no UTF-8 its text has U+FFFD, as
    /// `String::from_utf8_lossy` puts it; that is then reported at its place.
    pub fn new(path: impl Into<String>, files: Vec<(String, String)>) -> Self {
        PackageTexts {
            path: path.into(),
            files,
        }
    }

    /// The text of a file.
    pub fn get(&self, path: &str) -> Option<&str> {
        self.files
            .iter()
            .find(|(name, _)| name == path)
            .map(|(_, text)| text.as_str())
    }

    /// How a file of this folder is called in messages.
    pub fn shown(&self, path: &str) -> String {
        match self.path.trim_end_matches('/') {
            "" => path.to_owned(),
            folder => format!("{folder}/{path}"),
        }
    }

    /// The files below a folder, as a folder of its own; in order of their paths.
    pub fn below(&self, folder: &str) -> PackageTexts {
        let prefix = format!("{folder}/");
        let mut files: Vec<_> = self
            .files
            .iter()
            .filter_map(|(path, text)| Some((path.strip_prefix(&prefix)?.to_owned(), text.clone())))
            .collect();
        files.sort();
        PackageTexts {
            path: self.shown(folder),
            files,
        }
    }
}
