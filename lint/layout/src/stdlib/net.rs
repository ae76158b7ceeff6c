//! Addresses and sockets.

use crate::io::Error;
use crate::iter::{Cloned, Iterator};
use crate::ops::{BitAnd, BitOr, Not};
use crate::option;
use crate::result::Result;
use crate::slice;
use crate::str::FromStr;
use crate::string::String;
use crate::sys::net::Socket;
use crate::vec;

pub enum IpAddr { V4(Ipv4Addr), V6(Ipv6Addr) }
#[cfg(version("1.96"))]
pub enum Ipv6MulticastScope {
    Reserved0,
    InterfaceLocal,
    LinkLocal,
    RealmLocal,
    AdminLocal,
    SiteLocal,
    Unassigned6,
    Unassigned7,
    OrganizationLocal,
    Unassigned9,
    UnassignedA,
    UnassignedB,
    UnassignedC,
    UnassignedD,
    Global,
    ReservedF,
}
#[cfg(not(version("1.96")))]
pub enum Ipv6MulticastScope {
    InterfaceLocal,
    LinkLocal,
    RealmLocal,
    AdminLocal,
    SiteLocal,
    OrganizationLocal,
    Global,
}
pub enum Shutdown { Read, Write, Both }
pub enum SocketAddr { V4(SocketAddrV4), V6(SocketAddrV6) }
pub struct AddrParseError(AddrKind);
enum AddrKind { Ipv4, Ipv6, Ip, SocketV4, SocketV6, Socket }
pub struct Incoming<'a> { listener: &'a TcpListener }
pub struct IntoIncoming { listener: TcpListener }
pub struct Ipv4Addr { octets: [u8; 4] }
pub struct Ipv6Addr { octets: [u8; 16] }
pub struct SocketAddrV4 { ip: Ipv4Addr, port: u16 }
pub struct SocketAddrV6 { ip: Ipv6Addr, port: u16, flowinfo: u32, scope_id: u32 }
pub struct TcpListener(Socket);
pub struct TcpStream(Socket);
pub struct UdpSocket(Socket);
pub trait ToSocketAddrs { type Iter: Iterator<Item = SocketAddr>; }

impl FromStr for IpAddr { type Err = AddrParseError; }
impl FromStr for SocketAddr { type Err = AddrParseError; }
impl ToSocketAddrs for SocketAddr { type Iter = option::IntoIter<SocketAddr>; }
impl<'a> Iterator for Incoming<'a> { type Item = Result<TcpStream, Error>; }
impl Iterator for IntoIncoming { type Item = Result<TcpStream, Error>; }
impl FromStr for Ipv4Addr { type Err = AddrParseError; }
impl FromStr for Ipv6Addr { type Err = AddrParseError; }
impl FromStr for SocketAddrV4 { type Err = AddrParseError; }
impl ToSocketAddrs for SocketAddrV4 { type Iter = option::IntoIter<SocketAddr>; }
impl FromStr for SocketAddrV6 { type Err = AddrParseError; }
impl ToSocketAddrs for SocketAddrV6 { type Iter = option::IntoIter<SocketAddr>; }
impl ToSocketAddrs for (IpAddr, u16) { type Iter = option::IntoIter<SocketAddr>; }
impl ToSocketAddrs for (Ipv4Addr, u16) { type Iter = option::IntoIter<SocketAddr>; }
impl ToSocketAddrs for (Ipv6Addr, u16) { type Iter = option::IntoIter<SocketAddr>; }
impl ToSocketAddrs for (&str, u16) { type Iter = vec::IntoIter<SocketAddr>; }
impl ToSocketAddrs for (String, u16) { type Iter = vec::IntoIter<SocketAddr>; }
impl ToSocketAddrs for str { type Iter = vec::IntoIter<SocketAddr>; }
impl ToSocketAddrs for String { type Iter = vec::IntoIter<SocketAddr>; }
impl<'a> ToSocketAddrs for &'a [SocketAddr] { type Iter = Cloned<slice::Iter<'a, SocketAddr>>; }
impl<T: ToSocketAddrs + ?Sized> ToSocketAddrs for &T { type Iter = <T as ToSocketAddrs>::Iter; }

macro_rules! bits {
    ($($trait:ident)*) => { $(
        impl $trait for Ipv4Addr { type Output = Ipv4Addr; }
        impl $trait for Ipv6Addr { type Output = Ipv6Addr; }
    )* };
}
bits! { BitAnd BitOr Not }

impl Ipv4Addr {
    pub const BITS: u32 = 32;
    pub const LOCALHOST: Ipv4Addr;
    pub const UNSPECIFIED: Ipv4Addr;
    pub const BROADCAST: Ipv4Addr;
}
impl Ipv6Addr { pub const BITS: u32 = 128; pub const LOCALHOST: Ipv6Addr; pub const UNSPECIFIED: Ipv6Addr; }
