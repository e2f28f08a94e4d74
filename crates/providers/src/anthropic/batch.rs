//! Message Batches: `requests[]`, each with the parameters of a message request of its own.

use crate::detect::BatchedRequest;
use crate::json::{Kind, Reader};
use crate::refusal::Refusal;
use crate::request::slot::Slot;
use std::ops::Range;

/// Where the parameters of each request stand. One that names them twice is left out, because it is ambiguous which
/// of the two count.
pub(super) fn requests(body: &[u8]) -> Result<Vec<BatchedRequest>, Refusal> {
    let mut reader = Reader::new(body)?;
    let (mut list, mut found) = (Slot::default(), Vec::new());
    let mut number = 0;
    reader.object(|reader, key| match &*key.name {
        "requests" => {
            list.mark(&key)?;
            let each = |reader: &mut Reader<'_>| {
                let body = parameters(reader)?;
                found.extend(body.map(|body| BatchedRequest { number, body }));
                number += 1;
                Ok(())
            };
            reader.array(each).map(|_| ())
        }
        _ => reader.skip(),
    })?;
    reader.finish()?;
    Ok(found)
}

fn parameters(reader: &mut Reader<'_>) -> Result<Option<Range<usize>>, Refusal> {
    let (mut span, mut count) = (None, 0);
    reader.object(|reader, key| {
        if key.name != "params" {
            return reader.skip();
        }
        count += 1;
        let value = reader.value()?;
        span = (value.kind == Kind::Object).then_some(value.span);
        Ok(())
    })?;
    Ok(span.filter(|_| count == 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(body: &str) -> Vec<&str> {
        let requests = requests(body.as_bytes()).unwrap().into_iter();
        requests.map(|request| &body[request.body]).collect()
    }

    #[test]
    fn the_parameters_of_every_request_are_found() {
        let body =
            r#"{"x":[], "requests" :[ {"custom_id":"a","params":{"a":1}} ,{"params" : {} }]}"#;
        assert_eq!(found(body), [r#"{"a":1}"#, "{}"]);
        for odd in
            ["{}", r#"{"requests":{}}"#, r#"{"requests":[7,{"params":[]},{"custom_id":"a"}]}"#]
        {
            assert_eq!(found(odd), [""; 0], "{odd}");
        }
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_left_alone() {
        let twice = r#"{"requests":[{"params":{"a":1},"params":{"a":2}},{"params":{"a":3}}]}"#;
        assert_eq!(found(twice), [r#"{"a":3}"#]);
        assert_eq!(requests(twice.as_bytes()).unwrap()[0].number, 1, "as its client counts them");
        assert!(requests(br#"{"requests":[],"requests":[]}"#).is_err());
        assert!(requests(br#"{"requests":["#).is_err());
    }
}
