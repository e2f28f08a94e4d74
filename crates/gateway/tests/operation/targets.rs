//! `X-Target-URL`: only where the operator allows, whatever it is spelled like and wherever its name leads.

use crate::kit::{World, conversation, messages, world_with};
use tokenforge_mock::Mock;

fn status(world: &World, target: &str) -> u16 {
    world.send(messages(&conversation("short")).header("x-target-url", target)).status
}

#[test]
fn without_a_list_no_client_names_a_target() {
    let other = Mock::start();
    let world = world_with(|_| {});
    assert_eq!(status(&world, &other.url()), 403);
    assert!(other.requests().is_empty() && world.mock.requests().is_empty());
}

#[test]
fn a_listed_target_is_asked_and_does_not_hear_who_named_it() {
    let other = Mock::start();
    let world = world_with(|settings| {
        settings.upstreams.target_allow = vec![other.address().to_string()];
    });
    assert_eq!(status(&world, &other.url()), 200);
    assert_eq!(other.last().path_and_query, "/v1/messages");
    assert_eq!(other.last().header("x-target-url"), "");
    assert!(world.mock.requests().is_empty());
}

#[test]
fn other_spellings_of_a_listed_address_and_of_inner_ones_are_refused() {
    let other = Mock::start();
    let port = other.address().port();
    let world = world_with(|settings| {
        settings.upstreams.target_allow =
            vec![format!("127.0.0.1:{port}"), "api.example.com".to_owned()];
    });
    for target in [
        format!("http://2130706433:{port}"),
        format!("http://0x7f000001:{port}"),
        format!("http://0177.0.0.1:{port}"),
        format!("http://127.1:{port}"),
        format!("http://127.0.0.1.:{port}"),
        format!("http://[::ffff:127.0.0.1]:{port}"),
        format!("http://[::ffff:7f00:1]:{port}"),
        format!("http://localhost:{port}"),
        format!("http://user@127.0.0.1:{port}"),
        format!("http://127.0.0.1:{port}@evil.example"),
        format!("http://evil.example#@127.0.0.1:{port}"),
        format!("http://127.0.0.1:{}", port.wrapping_add(1)),
        format!("ftp://127.0.0.1:{port}"),
        format!("127.0.0.1:{port}"),
        format!("//127.0.0.1:{port}"),
        "http://127.0.0.1".to_owned(),
        "http://169.254.169.254/latest/meta-data".to_owned(),
        "http://[fd00:ec2::254]/".to_owned(),
        "http://api.example.com.evil.example".to_owned(),
        "http://api.example.com:22".to_owned(),
        "file:///etc/passwd".to_owned(),
        String::new(),
    ] {
        assert_eq!(status(&world, &target), 403, "{target}");
    }
    assert!(other.requests().is_empty() && world.mock.requests().is_empty());
}

#[test]
fn a_listed_name_that_leads_into_the_inner_network_is_not_followed() {
    // To a resolver this is a name like any other, and it leads to 127.0.0.1.
    let other = Mock::start();
    let name = format!("2130706433:{}", other.address().port());
    let world = world_with(|settings| settings.upstreams.target_allow = vec![name.clone()]);
    assert_eq!(status(&world, &format!("http://{name}")), 502);
    assert!(other.requests().is_empty());
    assert_eq!(other.connections_accepted(), 0);
}
