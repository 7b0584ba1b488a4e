//! What a model declares is known by number: a type for each kind, so that none is taken for another, and lists that are
//! indexed by it.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Index, IndexMut};

use crate::numbers::{At as _, Fit as _};

/// The number of something in the list of its kind.
pub trait Idx: Copy {
    /// The one at an index.
    fn new(index: usize) -> Self;
    /// Its index.
    fn index(self) -> usize;
}

macro_rules! ids {
    ($($name:ident: $what:literal,)*) => {$(
        #[doc = $what]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl Idx for $name {
            #[inline]
            fn new(index: usize) -> Self {
                $name(index.fit())
            }

            #[inline]
            fn index(self) -> usize {
                self.0.at()
            }
        }
    )*};
}

ids! {
    TableId: "A table.",
    RecordId: "A bundle of values that has a name.",
    ColumnId: "A column, of any table.",
    PlaceId: "A place.",
    CounterId: "A counter.",
    MarkerId: "A marker.",
    DieId: "A die.",
    EventId: "An event that rules raise; behind the last of them, a condition that is watched.",
    WatchId: "A condition that is watched.",
    FuncId: "A query, condition or effect.",
    PhaseId: "A phase.",
    PromiseId: "What choices in visits must leave true.",
    AskId: "A question.",
    MoveId: "A move, of any question.",
    SpreadId: "A spread parameter.",
    EndingId: "An ending.",
    ClauseId: "A clause that rules cite.",
    NodeId: "A node of the phase graph.",
    CauseId: "A rule that makes things happen; the first is none.",
}

/// A list whose elements are known by their ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexVec<I, T>(Vec<T>, PhantomData<I>);

impl<I: Idx, T> IndexVec<I, T> {
    /// The id of what is added next.
    pub fn next_id(&self) -> I {
        I::new(self.0.len())
    }

    /// Keeps the first `count` items and removes the others.
    pub fn truncate(&mut self, count: usize) {
        self.0.truncate(count);
    }

    /// Adds something, and gives its id.
    pub fn push(&mut self, element: T) -> I {
        self.0.push(element);
        I::new(self.0.len() - 1)
    }

    /// What has this id, if anything has.
    #[inline]
    pub fn get(&self, id: I) -> Option<&T> {
        self.0.get(id.index())
    }

    /// Every id.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.0.len()).map(I::new)
    }

    /// Every element with its id.
    pub fn iter_enumerated(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.ids().zip(&self.0)
    }

    /// As many others, each made of what has the same id here.
    pub fn map<U>(&self, other: impl FnMut(&T) -> U) -> IndexVec<I, U> {
        self.0.iter().map(other).collect()
    }

    /// The id of the first that is such.
    pub fn position(&self, is_such: impl FnMut(&T) -> bool) -> Option<I> {
        self.0.iter().position(is_such).map(I::new)
    }
}

impl<I: Idx, T> Index<I> for IndexVec<I, T> {
    type Output = T;

    #[inline]
    fn index(&self, id: I) -> &T {
        &self.0[id.index()]
    }
}

impl<I: Idx, T> IndexMut<I> for IndexVec<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.0[id.index()]
    }
}

impl<I, T> Deref for IndexVec<I, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<I, T> DerefMut for IndexVec<I, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<I, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        IndexVec(Vec::new(), PhantomData)
    }
}

impl<I, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<E: IntoIterator<Item = T>>(elements: E) -> Self {
        IndexVec(Vec::from_iter(elements), PhantomData)
    }
}

impl<'a, I, T> IntoIterator for &'a IndexVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<I, T> IntoIterator for IndexVec<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
