//! Content negotiation: in which form a client wants its answer, JSON, TOON, STC, or whichever costs fewest tokens.
//!
//! The first of these that says something decides:
//!
//! 1. the header `X-Prefer-Format`: `toon`, `stc`, `json` or `auto`
//! 2. a word that came with the request, as MCP clients put it into `_meta`
//! 3. `Accept`, where it names [`TOON_TYPE`] or [`STC_TYPE`] and likes it no less than JSON
//! 4. `Accept-Encoding`, where it names `stc`
//! 5. what is usual for this client
//! 6. what is usual here
//!
//! ```
//! use http::{HeaderMap, HeaderValue, header};
//! use tokenforge_formats::negotiate::{ClientPreferences, DecidedBy, Format, FormatCarrier};
//!
//! let mut headers = HeaderMap::new();
//! headers.insert(header::ACCEPT, HeaderValue::from_static("text/toon, application/json;q=0.5"));
//! let wanted = ClientPreferences::of(&headers).wants(FormatCarrier::Body);
//! assert_eq!((wanted.format(), wanted.by()), (Format::Toon, DecidedBy::Accept));
//! ```
//!
//! A word that is no format's, in `X-Prefer-Format` or in the request, is passed over like a header that is not there.
//! It is a preference: a client of tomorrow that prefers a form we do not know is better served with JSON than with an
//! error, and `X-Content-Format` on the answer says what it got. Where settings name a format, [`Format::from_str`]
//! gives an error that lists the formats.
//!
//! Which STC a reader gets is no matter of preference: who did not say in [`STC_VERSION`] that it reads version 2 gets
//! version 1 ([`ClientPreferences::stc_version`]).
//!
//! A wildcard asks for nothing: everybody sends `*/*`. It matters to the usual form alone, which is sent where the
//! reader takes it.
//!
//! [`Format::from_str`]: std::str::FromStr::from_str

mod accept_header;
mod format;
mod list;
mod preferences;
mod quality;

pub use format::{Format, UnknownFormat};
pub use list::remove_accepted;
pub use preferences::{ClientPreferences, DecidedBy, FormatCarrier, NegotiatedFormat, StcVersion};

use http::HeaderName;

/// Says which form is preferred, where a client cannot choose its `Accept`.
pub const PREFER_FORMAT: HeaderName = HeaderName::from_static("x-prefer-format");

/// Says which form was sent.
pub const CONTENT_FORMAT: HeaderName = HeaderName::from_static("x-content-format");

/// Says in a request which version of STC its sender reads up to, and in an answer which one it is in.
pub const STC_VERSION: HeaderName = HeaderName::from_static("x-stc-version");

/// The media type of TOON.
pub const TOON_TYPE: &str = "text/toon";

/// The media type of STC.
pub const STC_TYPE: &str = "application/stc+json";

/// The content coding of STC.
pub const STC_CODING: &str = "stc";
