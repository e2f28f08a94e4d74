//! Any body is refused or read into spans that lie in it; replacing them gives JSON whose results are the replacements.
#![no_main]

use tokenforge_providers::{
    Dialect, MessageTexts, Request, ResultShape, ToolExchange, is_repeatable, prompt_texts, rejoin, splice,
};

libfuzzer_sys::fuzz_target!(|body: &[u8]| {
    for dialect in Dialect::ALL {
        let _ = (is_repeatable(*dialect, body), prompt_texts(body, *dialect));
        let Ok(request) = Request::read_with(body, *dialect, MessageTexts::Wanted) else { continue };
        let results = &request.results;
        assert!(results.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start));
        for result in results {
            let _ = result.text(body);
            if let Some(arguments) = &result.arguments {
                let _ = arguments.text(body);
            }
        }
        let mut splices: Vec<_> = results.iter().map(|result| result.replaced_by("\"é\"\n")).collect();
        splices.extend(request.texts.iter().map(|text| text.replaced_by("\"é\"\n")));
        splices.extend(request.head.forge.iter().map(|forge| forge.removal()));
        splices.extend(request.tools.iter().filter_map(|tools| tools.with_expand_tool(*dialect)));
        let spliced = splice(body, &splices).expect("spans do not overlap");
        let again = Request::read_with(&spliced, *dialect, MessageTexts::Wanted).expect("what was JSON stays JSON");
        assert!(again.head.forge.is_none());
        assert_eq!(again.results.len(), results.len());
        assert_eq!(again.texts.len(), request.texts.len());
        for result in &again.results {
            assert_eq!(result.shape, ResultShape::Text);
            assert_eq!(result.text(&spliced).as_deref(), Some("\"é\"\n"));
        }
        assert!(again.texts.iter().all(|text| text.text(&spliced).as_deref() == Some("\"é\"\n")));
        for call in &request.calls {
            let siblings: Vec<String> = call.id.iter().map(|id| id.text(body).into_owned()).chain(call.key(body)).collect();
            let (siblings_before, call) = (siblings.len() / 2, "{}");
            let exchange =
                ToolExchange { siblings: &siblings, siblings_before, from: 0, call, id: "", answer: "é", is_error: false };
            if let Some(splices) = rejoin(body, *dialect, &request, &exchange) {
                let joined = splice(body, &splices).expect("places lie in the body");
                let joined = Request::read(&joined, *dialect).expect("what was JSON stays JSON");
                assert_eq!(joined.answers.len(), request.answers.len() + 1);
            }
        }
    }
});
