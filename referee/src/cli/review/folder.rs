//! Where `review.yaml` lies, and how one more acceptance comes into it.

use std::path::{Path, PathBuf};

use interpreter::diagnostic::Diagnostics;
use interpreter::package::REVIEW;
use interpreter::source::Sources;

use crate::cli::out::Out;
use crate::cli::outcome::Failure;
use crate::cli::ruleset::Chosen;
use crate::report::diff::Side;
use crate::report::sign_off::audit::{Allowed, audit};
use crate::report::sign_off::layers::{Layer, Wrong, layers};
use crate::report::sign_off::things::Thing;
use crate::report::sign_off::written::{Accepting, accept, text};

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

/// Writes a file of a layer.
///
/// # Errors
///
/// When nobody may write there.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| {
        Failure::Usage(format!(
            "`{}` cannot be written: {error}; look whether you may write there",
            path.display()
        ))
    })
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
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
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
        let path = self.writable()?;
        let mut accepted = self.layer.accepted().to_vec();
        accept(&mut accepted, thing, accepting);
        let written = text(&accepted, &self.layer.things);
        write(&path, &written)?;
        self.layer.set_accepted(accepted);
        self.has_changed = true;
        Ok(())
    }

    /// Says that signatures hold no more, if there are any and the file has changed.
    pub fn tell_of_signatures(&self, out: &mut Out<'_>) {
        let Some(path) = self
            .signatures()
            .filter(|path| self.has_changed && path.is_file())
        else {
            return;
        };
        out.note(format_args!(
            "`{}` is of the file as it was: whoever signed it signs again",
            path.display()
        ));
    }
}
