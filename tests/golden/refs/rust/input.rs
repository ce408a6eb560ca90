//! A store.
pub mod error;
mod imp;
extern crate serde as ser;

use std::collections::HashMap;
use std::io::{self, Read, Write as Out};
pub use crate::error::{Error, Kind::{self, Closed}};
use super::db::*;
use Shape::*;

pub const LIMIT: usize = 10;
static NAMES: &[Name] = &[];

type Result<T> = std::result::Result<T, Error>;

#[derive(Debug)]
pub struct Store<T: Codec> {
    conn: db::Conn,
    users: HashMap<String, User>,
    codec: T,
}

pub struct Meters(pub Length, u8);

pub enum Shape {
    Circle(Point, u32),
    Rect { at: Point, size: Size },
    Empty = LIMIT as isize,
}

pub trait Codec: Clone + Encode {
    type Item;
    fn code(&self, x: &Name) -> Self::Item;
    fn twice(&self) -> u8 {
        self.code(x); // a name of elsewhere
        2
    }
}

impl<T: Codec> Store<T> {
    pub fn new(conn: db::Conn, codec: T) -> Result<Self> {
        let users = HashMap::new();
        let s = Self { conn, users, codec };
        s.conn.ping()?.check();
        Ok(s)
    }

    pub async fn get<'a>(&'a mut self, id: &str) -> Option<&'a User> {
        let user = self.users.get(id)?;
        user.touch().await.done();
        Self::log(id);
        self.codec.code(user.name);
        for (k, v) in self.users.iter() {
            v.name = k;
        }
        let f = |u: User| u.name;
        let g = |x| x.name;
        f(user);
        if let Some(u) = self.find(id) {
            u.name.len();
        }
        Some(user)
    }

    fn log(text: &str) {
        println!("{} {}", text, LIMIT);
        assert_eq!(NAMES[0].first.len()?.count(), Meters::of(text).await.0);
        let v: Vec<Shape> = vec![Shape::Circle(p, 1)];
        each!(|s: Store<Json>, t: Meters| { s.conn; t.0.show(); Point { x: text } });
        v[0].area();
    }
}

impl Codec for Meters {
    type Item = Length;
    fn code(&self, _: &Name) -> Length {
        self.0.clone()
    }
    fn twice(&self) -> u8 {
        <Self as Codec>::code(self, x);
        Codec::twice(&self.1)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Circle(p, r) if r > LIMIT => p.show(r),
            Rect { at, size: Size { w, .. } } => at.show(w),
            ref other @ (Empty | LIMIT) => other.area(),
            _ => unreachable!(),
        }
    }
}

impl Shape {
    fn area(&self) -> u32 {
        let area = match *self {
            Circle(ref p, _) => p.norm(),
            Empty => 0,
        };
        area as u32
    }
}

fn make<R>(read: R, how: impl Fn(Name) -> Shape, dynamic: Box<dyn Codec>) -> (Meters, u8)
where
    R: Read,
{
    let Meters(length, _) = Meters(Length::zero(), 1);
    length.show();
    let parsed = "1".parse::<Size>();
    let made = how(name).area();
    dynamic.code(made);
    let mut list = Vec::<Name>::with_capacity(imp::SIZE);
    list.push(made);
    'outer: loop {
        break 'outer;
    }
    return (length, parsed);
}

macro_rules! each {
    ($e:expr) => {
        nothing($e)
    };
}

cfg_net! {
    pub mod net;
    pub fn listen(addr: Address) -> Listener { addr.bind() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn stores() {
        let s = Store::new(open(), Json).unwrap();
        assert!(matches!(s.get("x").await, Some(User { .. })));
        super::make(s, shape, boxed);
        crate::error::report();
    }
}
