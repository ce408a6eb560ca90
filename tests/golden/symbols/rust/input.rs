//! The crate.
#![allow(dead_code)]

use std::collections::{HashMap, HashSet};
pub use crate::cart::Cart;
extern crate serde;
mod other;

/// The limit.
pub const MAX: usize = 100;
static mut COUNT: u32 = 0;

/// What a customer wants.
#[derive(Debug, Clone)]
pub struct Cart<'a, T: Item> {
    /// Its lines.
    pub items: Vec<T>,
    owner: &'a str,
}

struct Unit;
struct Pair(u32, pub u32);

pub(crate) enum Color {
    Red,
    /// In between.
    Rgb { r: u8 },
}

/// Can be drawn.
pub trait Draw: Sized {
    type Output;
    const SIDES: u32;
    fn draw(&self) -> Self::Output;
    fn twice(&self) {
        self.draw();
    }
}

impl<'a, T: Item> Draw for Cart<'a, T> {
    type Output = ();
    fn draw(&self) {}
}

impl<'a, T: Item> Cart<'a, T> {
    /// A new one.
    #[inline]
    pub fn new(owner: &'a str) -> Self {
        // inside
        let local = 1;
        fn helper() {}
        let f = |x: u32| x + 1;
        Cart { items: vec![], owner }
    }
}

#[macro_export]
macro_rules! total {
    ($x:expr) => { $x };
}

cfg_rt! {
    /// Behind a switch.
    pub fn spawn(task: Task) {
        task.run();
    }
}

type Alias = Cart<'static, u32>;
union Bits { a: u32, b: f32 }

#[cfg(test)]
mod tests {
    //! Inner words.
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(1, 1);
    }
}

extern "C" {
    fn puts(s: *const u8) -> i32;
}
