//! The mistakes that are planted: one operator for each kind of mistake that designers make.

use crate::program::text::Language;

/// A kind of mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// A condition always holds; an alternative never does.
    ConditionDropped,
    /// A condition holds when it should not.
    ConditionNegated,
    /// A comparison is off by one.
    ComparisonShifted,
    /// A number in the rules is off by one.
    NumberChanged,
    /// A figure of the set-up is off by one.
    FigureChanged,
    /// A number in a column is off by one.
    CellChanged,
    /// Something that a script does is not done.
    StatementDropped,
    /// A row has the value of the next row that has another one, and that row has its value.
    RowsExchanged,
    /// What happens because of something does not happen.
    TriggerRemoved,
    /// A step or effect that is inserted elsewhere is missing.
    InsertionRemoved,
    /// A change of a query, or a line of the score sheet, is missing.
    ContributionRemoved,
    /// The game does not end for a reason.
    EndingRemoved,
    /// What some see is seen by everybody.
    SecretOpened,
    /// Who may decline must, or who must may decline.
    DeclineChanged,
    /// What may be done once may be done any number of times, or the other way round.
    OnceChanged,
    /// What comes before comes after, or the other way round.
    MomentChanged,
    /// Two steps change places.
    StepsExchanged,
    /// Turns begin with another player, or go to the other side.
    TurnOrderChanged,
    /// A division is rounded up.
    RoundingChanged,
    /// The least is taken for the greatest, or the other way round.
    ExtremeExchanged,
    /// Each is taken for one, or the other way round.
    EachExchanged,
    /// Whoever is equal is told apart otherwise.
    TieRuleChanged,
    /// A piece moves from where it should go to.
    EndsExchanged,
    /// What somebody sees is seen by nobody.
    AudienceChanged,
}

impl Operator {
    /// All of them, in the order in which they are told.
    pub const ALL: [Operator; 24] = [
        Operator::ConditionDropped,
        Operator::ConditionNegated,
        Operator::ComparisonShifted,
        Operator::NumberChanged,
        Operator::FigureChanged,
        Operator::CellChanged,
        Operator::StatementDropped,
        Operator::RowsExchanged,
        Operator::TriggerRemoved,
        Operator::InsertionRemoved,
        Operator::ContributionRemoved,
        Operator::EndingRemoved,
        Operator::SecretOpened,
        Operator::DeclineChanged,
        Operator::OnceChanged,
        Operator::MomentChanged,
        Operator::StepsExchanged,
        Operator::TurnOrderChanged,
        Operator::RoundingChanged,
        Operator::ExtremeExchanged,
        Operator::EachExchanged,
        Operator::TieRuleChanged,
        Operator::EndsExchanged,
        Operator::AudienceChanged,
    ];

    /// Its name in commands, reports and marks; it never changes.
    pub fn id(self) -> &'static str {
        self.words().0
    }

    /// The operator of an id.
    pub fn of_id(id: &str) -> Option<Operator> {
        Operator::ALL
            .into_iter()
            .find(|operator| operator.id() == id)
    }

    /// What it does, in a few words.
    pub fn says(self, language: Language) -> &'static str {
        let (_, en, pl) = self.words();
        match language {
            Language::English => en,
            Language::Polish => pl,
        }
    }

    fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Operator::ConditionDropped => (
                "condition-dropped",
                "a condition is left out",
                "pominięty warunek",
            ),
            Operator::ConditionNegated => (
                "condition-negated",
                "a condition is turned round",
                "odwrócony warunek",
            ),
            Operator::ComparisonShifted => (
                "comparison-shifted",
                "a comparison has another limit or sign",
                "porównanie z innym progiem lub znakiem",
            ),
            Operator::NumberChanged => (
                "number-changed",
                "a number in the rules is off by one",
                "liczba w zasadach zmieniona o jeden",
            ),
            Operator::FigureChanged => (
                "figure-changed",
                "a figure is off by one",
                "wielkość zmieniona o jeden",
            ),
            Operator::CellChanged => (
                "cell-changed",
                "a number in a column is off by one",
                "liczba w kolumnie zmieniona o jeden",
            ),
            Operator::StatementDropped => (
                "statement-dropped",
                "something is not done",
                "coś nie jest wykonywane",
            ),
            Operator::RowsExchanged => (
                "rows-exchanged",
                "two rows exchange a value",
                "dwa wiersze zamieniają się wartością",
            ),
            Operator::TriggerRemoved => (
                "trigger-removed",
                "what follows from an event is left out",
                "pominięty skutek zdarzenia",
            ),
            Operator::InsertionRemoved => (
                "insertion-removed",
                "an inserted step is left out",
                "pominięty wstawiony krok",
            ),
            Operator::ContributionRemoved => (
                "contribution-removed",
                "a change of a value is left out",
                "pominięta zmiana wartości",
            ),
            Operator::EndingRemoved => (
                "ending-removed",
                "a reason for the end is left out",
                "pominięty powód końca gry",
            ),
            Operator::SecretOpened => (
                "secret-opened",
                "a secret is open to everybody",
                "tajemnica jawna dla wszystkich",
            ),
            Operator::DeclineChanged => (
                "decline-changed",
                "may and must are confused",
                "pomylone: może i musi",
            ),
            Operator::OnceChanged => (
                "once-changed",
                "once and any number of times are confused",
                "pomylone: raz i dowolną liczbę razy",
            ),
            Operator::MomentChanged => (
                "moment-changed",
                "before and after are confused",
                "pomylone: przed i po",
            ),
            Operator::StepsExchanged => (
                "steps-exchanged",
                "two steps change places",
                "dwa kroki zamieniają się miejscami",
            ),
            Operator::TurnOrderChanged => (
                "turn-order-changed",
                "another player begins, or turns go the other way",
                "zaczyna inny gracz albo kolejka biegnie w drugą stronę",
            ),
            Operator::RoundingChanged => (
                "rounding-changed",
                "a division is rounded up",
                "dzielenie zaokrąglone w górę",
            ),
            Operator::ExtremeExchanged => (
                "extreme-exchanged",
                "the least and the greatest are confused",
                "pomylone: najmniejsze i największe",
            ),
            Operator::EachExchanged => (
                "each-exchanged",
                "each and one are confused",
                "pomylone: każdy i jeden",
            ),
            Operator::TieRuleChanged => (
                "tie-rule-changed",
                "ties are broken otherwise",
                "inne rozstrzyganie remisów",
            ),
            Operator::EndsExchanged => (
                "ends-exchanged",
                "source and target of a move are confused",
                "pomylone: skąd i dokąd",
            ),
            Operator::AudienceChanged => (
                "audience-changed",
                "whoever should see something does not",
                "kto powinien coś widzieć, nie widzi",
            ),
        }
    }
}
