//! The partitions of AWS: which domain the hosts of a region are in.

/// How the regions of a partition begin, and its domain. All others are in the first one.
const PARTITIONS: [(&str, &str); 6] = [
    ("cn-", "amazonaws.com.cn"),
    ("eusc-", "amazonaws.eu"),
    ("us-iso-", "c2s.ic.gov"),
    ("us-isob-", "sc2s.sgov.gov"),
    ("eu-isoe-", "cloud.adc-e.uk"),
    ("us-isof-", "csp.hci.ic.gov"),
];

/// The domain of AWS's services in a region.
pub(crate) fn domain(region: &str) -> &'static str {
    let partition = PARTITIONS.iter().find(|(begin, _)| region.starts_with(begin));
    partition.map_or("amazonaws.com", |(_, domain)| domain)
}

/// Is it spelled as regions and services are? They become parts of the name of a host.
pub(super) fn is_plain(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty() && name.len() <= 32 && name.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_region_is_in_the_domain_of_its_partition() {
        for (region, expected) in [
            ("eu-west-1", "amazonaws.com"),
            ("us-gov-west-1", "amazonaws.com"),
            ("cn-north-1", "amazonaws.com.cn"),
            ("eusc-de-east-1", "amazonaws.eu"),
            ("us-iso-east-1", "c2s.ic.gov"),
            ("us-isob-east-1", "sc2s.sgov.gov"),
            ("eu-isoe-west-1", "cloud.adc-e.uk"),
            ("us-isof-south-1", "csp.hci.ic.gov"),
        ] {
            assert_eq!(domain(region), expected, "{region}");
        }
    }
}
