//! A session with one editor: its messages, one after the other, and the answers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument, DidOpenTextDocument,
    DidSaveTextDocument, Notification as _, PublishDiagnostics,
};
use lsp_types::request::{DocumentSymbolRequest, GotoDefinition, HoverRequest, Request as _};
use lsp_types::{
    DocumentSymbolParams, DocumentSymbolResponse, GotoDefinitionParams, GotoDefinitionResponse,
    Hover, HoverContents, HoverParams, HoverProviderCapability, InitializeResult, Location,
    MarkupContent, MarkupKind, OneOf, PublishDiagnosticsParams, SaveOptions, ServerCapabilities,
    ServerInfo, TextDocumentPositionParams, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, Uri,
};
use serde::de::DeserializeOwned;

use super::place::{path_of, uri_of};
use super::project::{Project, home};
use crate::cli::library::LibraryOptions;

/// Why a session ended before its time.
#[derive(Debug, thiserror::Error)]
pub(super) enum LspError {
    /// The editor does not keep to the protocol, or is gone.
    #[error(transparent)]
    Protocol(#[from] lsp_server::ProtocolError),
    /// The editor is gone.
    #[error("the editor no longer listens")]
    Gone,
    /// A bug of ours.
    #[error("internal error: {0}")]
    Internal(#[from] serde_json::Error),
}

/// Answers an editor until it says goodbye.
///
/// # Errors
///
/// When it does not keep to the protocol, or goes without a word.
pub(super) fn serve(connection: &Connection, library: &LibraryOptions) -> Result<(), LspError> {
    let (id, _) = connection.initialize_start()?;
    let about = InitializeResult {
        capabilities: capabilities(),
        server_info: Some(ServerInfo {
            name: "referee".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
    };
    connection.initialize_finish(id, serde_json::to_value(about)?)?;
    Session {
        connection,
        library,
        open: BTreeMap::new(),
        projects: BTreeMap::new(),
        stale: BTreeSet::new(),
    }
    .run()
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::FULL),
                save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
                    include_text: Some(false),
                })),
                ..TextDocumentSyncOptions::default()
            },
        )),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        ..ServerCapabilities::default()
    }
}

struct Session<'c> {
    connection: &'c Connection,
    library: &'c LibraryOptions,
    /// Texts as they stand in the editor, saved or not.
    open: BTreeMap<PathBuf, String>,
    /// By their folders.
    projects: BTreeMap<PathBuf, Project>,
    /// Folders in which something has changed since they were looked at.
    stale: BTreeSet<PathBuf>,
}

impl Session<'_> {
    fn run(mut self) -> Result<(), LspError> {
        loop {
            // Whoever types is not waited for: only the last of several changes is looked at.
            let message = match self.connection.receiver.try_recv() {
                Ok(message) => message,
                Err(_) => {
                    self.settle()?;
                    match self.connection.receiver.recv() {
                        Ok(message) => message,
                        Err(_) => return Ok(()),
                    }
                }
            };
            match message {
                Message::Request(request) => {
                    if self.connection.handle_shutdown(&request)? {
                        return Ok(());
                    }
                    self.settle()?;
                    let response = self.answer(request);
                    self.send(Message::Response(response))?;
                }
                Message::Notification(notification) => self.note(notification)?,
                Message::Response(_) => {}
            }
        }
    }

    fn send(&self, message: Message) -> Result<(), LspError> {
        self.connection
            .sender
            .send(message)
            .map_err(|_| LspError::Gone)
    }

    fn note(&mut self, notification: Notification) -> Result<(), LspError> {
        let Notification { method, params } = notification;
        match method.as_str() {
            DidOpenTextDocument::METHOD => {
                if let Some(p) = read::<lsp_types::DidOpenTextDocumentParams>(params) {
                    self.text(&p.text_document.uri, Some(p.text_document.text));
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Some(mut p) = read::<lsp_types::DidChangeTextDocumentParams>(params)
                    && let Some(change) = p.content_changes.pop()
                {
                    self.text(&p.text_document.uri, Some(change.text));
                }
            }
            DidSaveTextDocument::METHOD => {
                if let Some(p) = read::<lsp_types::DidSaveTextDocumentParams>(params) {
                    self.touch(&p.text_document.uri);
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Some(p) = read::<lsp_types::DidCloseTextDocumentParams>(params) {
                    self.text(&p.text_document.uri, None);
                    self.forget()?;
                }
            }
            DidChangeWatchedFiles::METHOD => {
                if let Some(p) = read::<lsp_types::DidChangeWatchedFilesParams>(params) {
                    p.changes.iter().for_each(|change| self.touch(&change.uri));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// What stands in the editor; none if it is closed.
    fn text(&mut self, uri: &Uri, text: Option<String>) {
        if let Some(path) = path_of(uri) {
            match text {
                Some(text) => drop(self.open.insert(path, text)),
                None => drop(self.open.remove(&path)),
            }
        }
        self.touch(uri);
    }

    /// A file has changed: so have all packages that read it.
    fn touch(&mut self, uri: &Uri) {
        let Some(path) = path_of(uri) else { return };
        self.stale.extend(home(&path));
        for (folder, project) in &self.projects {
            if project.reads(&path) {
                self.stale.insert(folder.clone());
            }
        }
    }

    /// Looks again at what has changed, and says what is wrong with it.
    fn settle(&mut self) -> Result<(), LspError> {
        while let Some(folder) = self.stale.pop_first() {
            // What nobody has open, nobody wants to hear of.
            if !self
                .open
                .keys()
                .any(|path| home(path).as_ref() == Some(&folder))
            {
                continue;
            }
            let project = Project::read(&folder, self.library, &self.open);
            let found = project.diagnostics();
            let before = self.projects.insert(folder, project);
            let before = before.map(|project| project.told()).unwrap_or_default();
            for path in before {
                if !found.contains_key(&path) {
                    self.publish(&path, Vec::new())?;
                }
            }
            for (path, diagnostics) in found {
                self.publish(&path, diagnostics)?;
            }
        }
        Ok(())
    }

    /// Forgets packages of which nothing is open any more.
    fn forget(&mut self) -> Result<(), LspError> {
        let wanted: BTreeSet<PathBuf> = self.open.keys().filter_map(|path| home(path)).collect();
        let gone: Vec<PathBuf> = self
            .projects
            .keys()
            .filter(|folder| !wanted.contains(*folder))
            .cloned()
            .collect();
        for folder in gone {
            let told = self.projects.remove(&folder).map(|project| project.told());
            for path in told.unwrap_or_default() {
                self.publish(&path, Vec::new())?;
            }
        }
        Ok(())
    }

    fn publish(
        &self,
        path: &Path,
        diagnostics: Vec<lsp_types::Diagnostic>,
    ) -> Result<(), LspError> {
        let Some(uri) = uri_of(path) else {
            return Ok(());
        };
        let params = PublishDiagnosticsParams {
            uri,
            diagnostics,
            version: None,
        };
        let method = PublishDiagnostics::METHOD.to_owned();
        self.send(Message::Notification(Notification::new(method, params)))
    }

    fn answer(&self, request: Request) -> Response {
        let Request { id, method, params } = request;
        let answer = match method.as_str() {
            HoverRequest::METHOD => read::<HoverParams>(params)
                .map(|p| serde_json::to_value(self.hover(&p.text_document_position_params))),
            GotoDefinition::METHOD => read::<GotoDefinitionParams>(params)
                .map(|p| serde_json::to_value(self.definition(&p.text_document_position_params))),
            DocumentSymbolRequest::METHOD => read::<DocumentSymbolParams>(params)
                .map(|p| serde_json::to_value(self.symbols(&p.text_document.uri))),
            method => {
                let message = format!("`{method}` is not known here");
                return Response::new_err(id, code(ErrorCode::MethodNotFound), message);
            }
        };
        match answer {
            Some(Ok(result)) => Response {
                id,
                result: Some(result),
                error: None,
            },
            Some(Err(error)) => {
                Response::new_err(id, code(ErrorCode::InternalError), error.to_string())
            }
            None => Response::new_err(
                id,
                code(ErrorCode::InvalidParams),
                "these parameters cannot be read".to_owned(),
            ),
        }
    }

    fn project(&self, uri: &Uri) -> Option<(&Project, PathBuf)> {
        let path = path_of(uri)?;
        Some((self.projects.get(&home(&path)?)?, path))
    }

    fn hover(&self, at: &TextDocumentPositionParams) -> Option<Hover> {
        let (project, path) = self.project(&at.text_document.uri)?;
        let (range, text) = project.hover(&path, at.position)?;
        Some(Hover {
            contents: HoverContents::Markup(MarkupContent {
                kind: MarkupKind::Markdown,
                value: text,
            }),
            range: Some(range),
        })
    }

    fn definition(&self, at: &TextDocumentPositionParams) -> Option<GotoDefinitionResponse> {
        let (project, path) = self.project(&at.text_document.uri)?;
        let places = project.definition(&path, at.position);
        let locations = places
            .into_iter()
            .filter_map(|(path, range)| Some(Location::new(uri_of(&path)?, range)));
        Some(GotoDefinitionResponse::Array(locations.collect()))
    }

    fn symbols(&self, uri: &Uri) -> Option<DocumentSymbolResponse> {
        let (project, path) = self.project(uri)?;
        Some(DocumentSymbolResponse::Nested(project.symbols(&path)))
    }
}

/// Parameters of a message; none if they are others than the protocol says.
fn read<T: DeserializeOwned>(params: serde_json::Value) -> Option<T> {
    serde_json::from_value(params).ok()
}

/// An error's number in JSON-RPC.
#[expect(clippy::as_conversions, reason = "a discriminant")]
const fn code(code: ErrorCode) -> i32 {
    code as i32
}
