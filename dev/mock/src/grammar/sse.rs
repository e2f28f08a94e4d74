//! Server-sent events, read strictly: whole events, known fields, valid UTF-8, nothing left over.

use serde_json::Value;

/// An event: its name, if it has one, and its data.
pub(super) struct Event {
    pub(super) name: Option<String>,
    pub(super) data: String,
}

/// Events whose data is JSON with a `type` that is also the event's name.
pub(super) fn named(bytes: &[u8]) -> Result<Vec<Value>, String> {
    let mut payloads = Vec::new();
    for event in events(bytes)? {
        let data = super::json(event.data.as_bytes())?;
        if data["type"].as_str() != event.name.as_deref() {
            return Err(format!("the event {:?} has the type {}", event.name, data["type"]));
        }
        payloads.push(data);
    }
    Ok(payloads)
}

/// The data of events without names.
pub(super) fn data(bytes: &[u8]) -> Result<Vec<String>, String> {
    let events = events(bytes)?;
    if let Some(name) = events.iter().find_map(|event| event.name.as_ref()) {
        return Err(format!("an event has the name {name}; this dialect has none"));
    }
    Ok(events.into_iter().map(|event| event.data).collect())
}

/// The events of a stream; comments are passed over.
pub(super) fn events(bytes: &[u8]) -> Result<Vec<Event>, String> {
    let text = str::from_utf8(bytes).map_err(|error| format!("not UTF-8: {error}"))?;
    let mut events = Vec::new();
    let mut name = None;
    let mut data: Option<String> = None;
    let mut is_open = false;
    for line in lines(text)? {
        if line.is_empty() {
            is_open = false;
            match data.take() {
                Some(data) => events.push(Event { name: name.take(), data }),
                None if name.is_some() => return Err("an event without data".to_owned()),
                None => {}
            }
            continue;
        }
        is_open = true;
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" | "id" | "retry" => {}
            "event" if name.is_some() => return Err("an event with two names".to_owned()),
            "event" => name = Some(value.to_owned()),
            "data" => match &mut data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => data = Some(value.to_owned()),
            },
            other => return Err(format!("a line begins with {other:?}, which is no field")),
        }
    }
    if is_open {
        return Err("the stream ends in the middle of an event".to_owned());
    }
    Ok(events)
}

fn lines(text: &str) -> Result<Vec<&str>, String> {
    if text.is_empty() {
        return Err("the stream is empty".to_owned());
    }
    let Some(text) = text.strip_suffix('\n') else {
        return Err("the stream ends in the middle of a line".to_owned());
    };
    Ok(text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Result<Vec<String>, String> {
        Ok(events(text.as_bytes())?.into_iter().map(|event| event.data).collect())
    }

    #[test]
    fn events_are_read_with_any_line_end_and_comments() {
        assert_eq!(seen("data: a\n\n: ping\n\ndata: b\r\ndata:c\r\n\r\n").unwrap(), ["a", "b\nc"]);
    }

    #[test]
    fn what_is_cut_or_foreign_is_told() {
        for text in [
            "",
            "data: a",
            "data: a\n",
            "data: a\n\ndat",
            "date: a\n\n",
            "event: a\n\n",
            "event: a\nevent: b\n\n",
        ] {
            assert!(seen(text).is_err(), "{text:?}");
        }
        assert!(events(b"data: \xff\n\n").is_err());
    }
}
