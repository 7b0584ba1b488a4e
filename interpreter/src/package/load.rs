//! From texts to one composed package.

use std::collections::BTreeMap;

use super::folder::{self, Folder};
use super::layers::Module;
use super::manifest::Glimpse;
use super::{overlay, print, review};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::program::package::{Configuration, OfferedModule, Package};
use crate::source::{PackageTexts, Sources};
use crate::syntax::Trees;
use crate::syntax::document::read::one_of;

/// Loads a base with the modules of a configuration and house rules, composes and checks them.
///
/// House rules are module folders with a name each; they come after the configuration's modules.
/// Every text that is read is added to `sources`. The result is there whenever the manifest of the
/// base could be read; whether it can be used, `diagnostics` say.
pub fn load(
    sources: &mut Sources,
    base: &PackageTexts,
    house: &[(String, PackageTexts)],
    configuration: &Configuration,
    diagnostics: &mut Diagnostics,
) -> Option<Package> {
    let trees = Trees::default();
    load_again(sources, &trees, base, house, configuration, diagnostics)
}

/// As [`load`], but texts of which the trees are known are not parsed again.
pub fn load_again(
    sources: &mut Sources,
    trees: &Trees,
    base: &PackageTexts,
    house: &[(String, PackageTexts)],
    configuration: &Configuration,
    diagnostics: &mut Diagnostics,
) -> Option<Package> {
    let mut ground = folder::read(sources, trees, base, true, diagnostics)?;
    let at_hand = at_hand(base, &ground, diagnostics);
    let (offered, joining) = offered(base, &at_hand);
    let mut modules: Vec<Module> = Vec::new();
    let chosen = &configuration.modules;
    // Whoever joins modules is laid when all of them are chosen.
    let joined = joining
        .iter()
        .filter(|(id, joins)| !chosen.contains(id) && joins.iter().all(|j| chosen.contains(j)))
        .map(|(id, _)| id);
    for id in chosen.iter().chain(joined) {
        if modules
            .iter()
            .any(|module| module.folder.manifest.id.node == *id)
        {
            diagnostics.push(Diagnostic::without_place(
                Code::DuplicateModule,
                format!("the module `{id}` is chosen twice"),
            ));
            continue;
        }
        if !at_hand.contains(id) {
            let known = || offered.iter().map(|m| m.id.as_str());
            let help = did_you_mean(id, known()).unwrap_or_else(|| one_of("it offers", known()));
            diagnostics.push(
                Diagnostic::without_place(
                    Code::UnknownModule,
                    format!("`{}` offers no module `{id}`", ground.manifest.id.node),
                )
                .help(help),
            );
            continue;
        }
        let texts = base.below(&format!("modules/{id}"));
        let Some(folder) = folder::read(sources, trees, &texts, false, diagnostics) else {
            continue;
        };
        if folder.manifest.id.node != *id {
            let written = &folder.manifest.id;
            diagnostics.push(
                Code::MismatchedModuleId
                    .error(
                        written.span,
                        format!("this module calls itself `{}`", written.node),
                    )
                    .label(format!("its folder is called `{id}`"))
                    .help("give both the same name"),
            );
        }
        modules.push(Module { folder });
    }
    for (name, texts) in house {
        let texts = match texts.path.is_empty() {
            true => PackageTexts::new(name.as_str(), texts.files.clone()),
            false => texts.clone(),
        };
        let Some(folder) = folder::read(sources, trees, &texts, false, diagnostics) else {
            continue;
        };
        let id = &folder.manifest.id;
        match modules
            .iter()
            .map(|m| &m.folder.manifest.id)
            .find(|other| other.node == id.node)
        {
            Some(first) => diagnostics.push(
                Code::DuplicateModule
                    .error(id.span, format!("two modules are called `{}`", id.node))
                    .also(first.span, "the other one"),
            ),
            None => modules.push(Module { folder }),
        }
    }
    let laid: Vec<&str> = modules
        .iter()
        .map(|module| module.folder.manifest.id.node.as_str())
        .collect();
    let unused = unused_scenarios(sources, base, &at_hand, &laid);
    ground.scenarios.extend(unused);
    print::tie(
        ground.print.as_ref(),
        true,
        &mut ground.paragraphs.list,
        diagnostics,
    );
    for Module { folder } in &mut modules {
        let (own, paragraphs) = (folder.print.as_ref(), &mut folder.paragraphs.list);
        print::tie(
            own.or(ground.print.as_ref()),
            own.is_some(),
            paragraphs,
            diagnostics,
        );
    }
    let lost_clauses =
        ground.lost_clauses || modules.iter().any(|module| module.folder.lost_clauses);
    let mut package = overlay::compose(ground, modules, offered, diagnostics);
    review::review(&package, lost_clauses, diagnostics);
    configure(&mut package, configuration, diagnostics);
    Some(package)
}

/// Ids of the modules in the folder of a base: those that its manifest lists, in its order, then those
/// that somebody else has put beside them.
fn at_hand(base: &PackageTexts, ground: &Folder, diagnostics: &mut Diagnostics) -> Vec<String> {
    let mut at_hand = Vec::new();
    for id in &ground.manifest.modules {
        let path = format!("modules/{}/module.yaml", id.node);
        if base.get(&path).is_some() {
            at_hand.push(id.node.clone());
            continue;
        }
        diagnostics.push(
            Code::MissingFile
                .error(id.span, format!("there is no file `{path}`"))
                .help("a module that is offered has a folder of its id in `modules`"),
        );
    }
    let mut others: Vec<&str> = base
        .files
        .iter()
        .filter_map(|(path, _)| folder::module_of(path))
        .filter(|id| !at_hand.iter().any(|listed| listed == id))
        .collect();
    others.sort_unstable();
    at_hand.extend(others.into_iter().map(str::to_owned));
    at_hand
}

/// The modules that a base offers to be chosen, with the titles that their manifests give them; and
/// those that join others and are laid of themselves, with the ids of those.
fn offered(
    base: &PackageTexts,
    at_hand: &[String],
) -> (Vec<OfferedModule>, Vec<(String, Vec<String>)>) {
    let (mut offered, mut joining) = (Vec::new(), Vec::new());
    for id in at_hand {
        let text = base.get(&format!("modules/{id}/module.yaml"));
        let glimpse = Glimpse::of(text.unwrap_or_default());
        match glimpse.joins.is_empty() {
            true => offered.push(OfferedModule {
                id: id.clone(),
                titles: glimpse.titles,
            }),
            false => joining.push((id.clone(), glimpse.joins)),
        }
    }
    (offered, joining)
}

/// Scenarios of modules that are not in play: a scenario names its own modules, so whoever runs
/// them wants them all.
fn unused_scenarios(
    sources: &mut Sources,
    base: &PackageTexts,
    at_hand: &[String],
    laid: &[&str],
) -> Vec<crate::source::FileId> {
    let mut files = Vec::new();
    for id in at_hand.iter().filter(|id| !laid.contains(&id.as_str())) {
        let texts = base.below(&format!("modules/{id}"));
        for path in folder::scenarios(&texts) {
            files.push(sources.add(texts.shown(&path), texts.get(&path).unwrap_or_default()));
        }
    }
    files
}

/// Checks the configuration against what the composed package allows.
fn configure(package: &mut Package, configuration: &Configuration, diagnostics: &mut Diagnostics) {
    let (from, to) = package.players;
    if !(from..=to).contains(&configuration.players) {
        diagnostics.push(
            Code::UnsupportedPlayerCount
                .error(
                    package.span(),
                    format!(
                        "`{}` cannot be played by {}",
                        package.id.node, configuration.players
                    ),
                )
                .help(format!("it is for {from} to {to} players")),
        );
    }
    let options: BTreeMap<&str, &crate::program::package::OptionDecl> = package
        .options
        .iter()
        .map(|option| (option.id.node.as_str(), option))
        .collect();
    for (name, value) in &configuration.options {
        let Some(option) = options.get(name.as_str()) else {
            diagnostics.push(
                Diagnostic::without_place(
                    Code::UnknownOption,
                    format!("`{}` has no option `{name}`", package.id.node),
                )
                .help(
                    did_you_mean(name, options.keys().copied())
                        .unwrap_or_else(|| one_of("its options are", options.keys().copied())),
                ),
            );
            continue;
        };
        if !option.allows(*value) {
            diagnostics.push(
                Code::UnknownOption
                    .error(
                        option.id.span,
                        format!("the option `{name}` cannot be {value}"),
                    )
                    .help(format!("it may be {}", option.range())),
            );
        }
    }
}
