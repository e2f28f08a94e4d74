//! Any body is refused or read into spans that lie in it; replacing them gives JSON whose results are the replacements.
#![no_main]

use tokenforge_dialects::{Dialect, Request, Shape, splice};

libfuzzer_sys::fuzz_target!(|body: &[u8]| {
    for dialect in Dialect::ALL {
        let Ok(request) = Request::read(body, *dialect) else { continue };
        let results = &request.results;
        assert!(results.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start));
        for result in results {
            let _ = result.text(body);
            if let Some(arguments) = &result.arguments {
                let _ = arguments.text(body);
            }
        }
        let mut splices: Vec<_> = results.iter().map(|result| result.replaced_by("\"é\"\n")).collect();
        splices.extend(request.head.forge.iter().map(|forge| forge.removed()));
        splices.extend(request.tools.iter().filter_map(|tools| tools.with_expand_tool(*dialect)));
        let spliced = splice(body, &splices).expect("spans do not overlap");
        let again = Request::read(&spliced, *dialect).expect("what was JSON stays JSON");
        assert!(again.head.forge.is_none());
        assert_eq!(again.results.len(), results.len());
        for result in &again.results {
            assert_eq!(result.shape, Shape::Text);
            assert_eq!(result.text(&spliced).as_deref(), Some("\"é\"\n"));
        }
    }
});
