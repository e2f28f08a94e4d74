//! A network: an address, and how many of its bits matter.

use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

/// A network. IPv4 is kept as the part of IPv6 that it is mapped to, so that either spelling is the same address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Network {
    bits: u128,
    mask: u128,
}

impl Network {
    /// Does the address belong to it?
    pub(super) fn contains(&self, address: IpAddr) -> bool {
        bits(address) & self.mask == self.bits
    }
}

impl FromStr for Network {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (address, length) = match text.split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text, None),
        };
        let address: IpAddr =
            address.parse().map_err(|_| "expected an address or a network like 10.0.0.0/8")?;
        let (longest, before) = if address.is_ipv4() { (32, 96) } else { (128, 0) };
        let length = match length {
            None => longest,
            Some(digits) if digits.starts_with('+') => return Err(LENGTH),
            Some(digits) => {
                digits.parse().ok().filter(|length| *length <= longest).ok_or(LENGTH)?
            }
        };
        let mask = u128::MAX.checked_shl(128 - before - length).unwrap_or(0);
        let bits = bits(address);
        match bits & !mask {
            0 => Ok(Self { bits, mask }),
            _ => {
                Err("the address has bits beyond the network's length: expected its first address")
            }
        }
    }
}

const LENGTH: &str =
    "after the slash: expected a number of bits, at most 32 for IPv4 and 128 for IPv6";

fn bits(address: IpAddr) -> u128 {
    let v6: Ipv6Addr = match address {
        IpAddr::V4(v4) => v4.to_ipv6_mapped(),
        IpAddr::V6(v6) => v6,
    };
    v6.to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains(network: &str, address: &str) -> bool {
        network.parse::<Network>().unwrap().contains(address.parse().unwrap())
    }

    #[test]
    fn an_address_belongs_to_the_networks_whose_bits_it_has() {
        for (network, inside, outside) in [
            ("10.0.0.0/8", "10.255.0.1", "11.0.0.0"),
            ("192.0.2.7", "192.0.2.7", "192.0.2.8"),
            ("192.0.2.128/25", "192.0.2.128", "192.0.2.127"),
            ("0.0.0.0/0", "203.0.113.9", "2001:db8::1"),
            ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"),
            ("::/0", "2001:db8::1", "2001:db8::1"),
        ] {
            assert!(contains(network, inside), "{network} {inside}");
            assert!(network == "::/0" || !contains(network, outside), "{network} {outside}");
        }
    }

    #[test]
    fn a_mapped_address_is_the_address_it_maps() {
        assert!(contains("10.0.0.0/8", "::ffff:10.1.2.3"));
        assert!(contains("::ffff:10.0.0.0/104", "10.1.2.3"));
        assert!(!contains("10.0.0.0/8", "::10.1.2.3"));
    }

    #[test]
    fn what_is_no_network_is_refused() {
        for text in [
            "",
            "10",
            "10.0.0.0/33",
            "10.0.0.0/",
            "10.0.0.0/+8",
            "10.0.0.1/8",
            "::/129",
            "a/8",
            "10.0.0.0/8/8",
        ] {
            assert!(text.parse::<Network>().is_err(), "{text}");
        }
    }
}
