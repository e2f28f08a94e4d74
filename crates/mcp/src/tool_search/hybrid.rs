//! Hybrid search: lexical scores (BM25) and the cosine similarity of static embeddings, in one order.
//!
//! Words that are shared say most, and where none is shared the meaning decides: "hurricane" finds
//! `storm_alert`. Measured on tasks that this was not chosen by, a right tool is among the first five more often (82.2 to
//! 86.3 % of our own, 81.1 to 85.5 % of the leaderboard's live questions, 40 to 55 % and 28 to 32 % of 113 for other
//! servers), and first as often as before (dev/bench/TOOL_SEARCH.md).

/// What a cosine of 1 counts beside the lexical score, in which a rare word of a name counts about 10.
const COSINE_WEIGHT: f64 = 40.0;

/// How many of the first lexical results stay in front. Where words fit well, vectors only shuffle the front: with none kept, or
/// one, the right tool is among the first five no more often, and with none clearly less often first on recorded searches.
/// With three it is less often among the first three.
const LEXICAL_FIRST: usize = 2;

/// A tool that shares no word with the query is found from this similarity on, so that not every query finds every tool. On the
/// tasks to choose by 0.35 loses no right tool among the first ten, and 0.4 loses some. It is about what chance gives: of
/// random English words every second has a tool of 349 that is as near.
const LEAST_COSINE: f32 = 0.35;

/// Tools by how well they fit, of lexical scores (0: no word is shared) and cosines; ties in the order of the tools. Without
/// `is_meaningful` the cosines find no tool, they only order what words have found.
pub(super) fn ranked(lexical: &[f64], cosines: Option<&[f32]>, is_meaningful: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lexical.len()).filter(|at| lexical[*at] > 0.0).collect();
    // A stable sort: ties stay.
    order.sort_by(|one, other| lexical[*other].total_cmp(&lexical[*one]));
    let Some(cosines) = cosines else { return order };
    let mut rest = order.split_off(order.len().min(LEXICAL_FIRST));
    if is_meaningful {
        let is_near = |at: &usize| lexical[*at] <= 0.0 && cosines[*at] >= LEAST_COSINE;
        rest.extend((0..lexical.len()).filter(is_near));
    }
    let mut scored: Vec<(f64, usize)> = rest
        .into_iter()
        .map(|at| (lexical[at] + COSINE_WEIGHT * f64::from(cosines[at]), at))
        .collect();
    scored.sort_by(|(one, left), (other, right)| other.total_cmp(one).then(left.cmp(right)));
    order.extend(scored.into_iter().map(|(_, at)| at));
    order
}

#[cfg(test)]
mod tests {
    use super::super::index::ToolIndex;
    use super::super::tool_vectors::FEWEST_TOOLS;
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Servers, names and descriptions, all invented.
    const TOOLS: [(&str, &str, &str); 46] = [
        ("garden", "watering_plan", "Says when each bed needs water"),
        ("garden", "plant_lookup", "Describes a flower, shrub or tree"),
        ("kitchen", "recipe_box", "Cooking instructions with ingredients"),
        ("kitchen", "oven_timer", "Starts a countdown for baking"),
        ("clinic", "book_visit", "Reserves an appointment with a doctor"),
        ("clinic", "lab_results", "Blood tests of a patient"),
        ("garage", "tyre_pressure", "Measures the wheels of a vehicle"),
        ("garage", "repair_invoice", "What the mechanic charged"),
        ("library", "loan_period", "How long a book may be kept"),
        ("library", "reserve_volume", "Holds a novel for a reader"),
        ("zoo", "feeding_hours", "Meals of the animals"),
        ("zoo", "enclosure_map", "Shows cages and paths"),
        ("orchestra", "rehearsal", "Next practice of the musicians"),
        ("orchestra", "sheet_music", "Scores for violin and piano"),
        ("airline", "boarding_pass", "Issues a pass for a flight"),
        ("airline", "seat_change", "Moves a passenger to another row"),
        ("hotel", "room_rate", "Price of a night"),
        ("hotel", "late_checkout", "Extends a stay"),
        ("bank", "transfer_funds", "Sends money to another account"),
        ("bank", "currency_quote", "Exchange rate of dollars and euros"),
        ("court", "case_file", "Documents of a lawsuit"),
        ("court", "hearing_date", "Day of a trial before the judge"),
        ("school", "exam_grades", "Marks of a pupil"),
        ("school", "class_roster", "Pupils of a teacher"),
        ("harbour", "tide_table", "Sea level at the coast"),
        ("harbour", "berth_request", "Asks for a mooring of a ship"),
        ("meteo", "rain_radar", "Precipitation over a region"),
        ("meteo", "storm_alert", "Warns of high wind"),
        ("theatre", "ticket_sale", "Sells admission to a play"),
        ("theatre", "stage_lights", "Dims the lamps"),
        ("press", "headline_feed", "Articles of today's newspapers"),
        ("press", "letter_editor", "Sends a comment to the editorial office"),
        ("factory", "robot_arm", "Moves the manipulator"),
        ("factory", "conveyor_speed", "Slows down the belt"),
        ("farm", "milk_yield", "Litres that each cow gave"),
        ("farm", "harvest_log", "Tonnes of wheat and corn"),
        ("museum", "painting_info", "Artist and year of a canvas"),
        ("museum", "audio_guide", "Narrates an exhibition"),
        ("gym", "workout_log", "Exercises and weights lifted"),
        ("gym", "trainer_chat", "Talk to a coach"),
        ("postal", "parcel_status", "Where a package is"),
        ("postal", "stamp_shop", "Orders postage"),
        ("energy", "meter_reading", "Electricity consumed by a household"),
        ("energy", "solar_output", "Power of the panels on the roof"),
        ("server", "container_restart", "Stops a Docker process and boots it"),
        ("server", "disk_usage", "Free storage on a machine"),
    ];

    /// Tasks, none of which shares a word with the tool that is right.
    const TASKS: [(&str, &str); 12] = [
        ("weather forecast", "meteo__rain_radar"),
        ("attorney litigation paperwork", "court__case_file"),
        ("news stories", "press__headline_feed"),
        ("prepare dinner food", "kitchen__recipe_box"),
        ("hard drive space left", "server__disk_usage"),
        ("fitness training history", "gym__workout_log"),
        ("dairy cattle production", "farm__milk_yield"),
        ("hurricane emergency", "meteo__storm_alert"),
        ("concert songs notation", "orchestra__sheet_music"),
        ("portrait painter biography", "museum__painting_info"),
        ("ocean waves", "harbour__tide_table"),
        ("borrow literature", "library__loan_period"),
    ];

    fn index(tools: &[(&str, &str, &str)]) -> ToolIndex {
        let text = |(_, name, description): &(&str, &str, &str)| {
            serde_json::json!({"name": name, "description": description}).to_string()
        };
        let texts: Vec<String> = tools.iter().map(text).collect();
        ToolIndex::of(tools.iter().zip(&texts).map(|((server, ..), text)| (*server, text.as_str())))
    }

    /// What words alone find.
    fn lexical(index: &ToolIndex, query: &str) -> Vec<String> {
        let order = ranked(&index.scores(query), None, false);
        order.into_iter().map(|at| index.tools()[at].name.clone()).collect()
    }

    #[test]
    fn m21_a_tool_that_shares_no_word_with_the_query_is_found_by_its_meaning() {
        let index = index(&TOOLS);
        let mut missed = Vec::new();
        for (task, right) in TASKS {
            assert!(!lexical(&index, task).iter().any(|name| name == right), "{task}");
            let found = index.search(task, 5);
            if !found.contains(&right) {
                missed.push((task, found));
            }
        }
        // Vectors of words are no dictionary of synonyms: one or two may be missed.
        assert!(missed.len() <= 2, "{missed:?}");
    }

    #[test]
    fn m21_nonsense_finds_no_tool() {
        let index = index(&TOOLS);
        for nonsense in ["qxz zkwv", "xqzkkpf", "a", "of the", "??", "", "größe", "12 34"] {
            assert_eq!(index.search(nonsense, 5), [""; 0], "{nonsense}");
        }
    }

    #[test]
    fn m21_fewer_than_sixteen_tools_are_searched_by_words_alone() {
        let few = index(&TOOLS[..FEWEST_TOOLS - 1]);
        let queries = TASKS.iter().map(|(task, _)| *task);
        for query in queries.chain(["holds a book of the doctor", "plan hours of a vehicle"]) {
            assert_eq!(few.search(query, 99), lexical(&few, query), "{query}");
        }
    }

    #[test]
    fn m21_the_first_two_lexical_results_stay_in_front() {
        let index = index(&TOOLS);
        for query in ["date of a book visit", "price of a ticket for a flight", "wind and rain"] {
            let words = lexical(&index, query);
            assert_eq!(index.search(query, 2), words[..2], "{query}");
        }
        let scores = [1.0, 9.0, 0.0, 8.0, 7.0, 0.0];
        let cosines = [0.9, -0.5, 1.0, -0.5, 0.0, 0.3];
        assert_eq!(ranked(&scores, Some(&cosines), true), [1, 3, 2, 0, 4]);
        assert_eq!(ranked(&scores, Some(&cosines), false), [1, 3, 0, 4]);
        assert_eq!(ranked(&scores, None, false), [1, 3, 4, 0]);
    }

    #[test]
    fn m21_equal_scores_keep_the_order_of_the_tools() {
        assert_eq!(ranked(&[2.0; 5], Some(&[0.1; 5]), true), [0, 1, 2, 3, 4]);
        assert_eq!(ranked(&[0.0; 4], Some(&[0.5, 0.6, 0.5, 0.2]), true), [1, 0, 2]);
        // Alike in all that is said of them, tools have no direction from their mean.
        let alike = index(&[("a", "send", "Sends a letter"); 20]);
        assert_eq!(alike.search("mail", 5), [""; 0]);
        assert_eq!(alike.search("letter", 99).len(), 20);
    }

    proptest! {
        #[test]
        fn m21_any_text_can_be_searched_and_is_answered_alike(
            names in prop::collection::btree_set("[a-z]{1,8}(_[a-z]{1,8})?", 16..24),
            description in "\\PC{0,60}",
            query in "[a-z_ ]{0,40}|\\PC{0,60}",
        ) {
            let tools: Vec<(&str, &str, &str)> =
                names.iter().map(|name| ("p", name.as_str(), description.as_str())).chain(TOOLS).collect();
            let index = index(&tools);
            let found = index.search(&query, usize::MAX);
            let once: BTreeSet<&str> = found.iter().copied().collect();
            prop_assert_eq!(once.len(), found.len());
            let again = self::index(&tools);
            prop_assert_eq!(&found, &again.search(&query, usize::MAX));
            // No tool that words find is lost, and the first of them stay in front.
            let words = lexical(&index, &query);
            prop_assert!(words.iter().all(|name| once.contains(name.as_str())));
            let is_name = tools.iter().any(|(server, name, _)| query.contains(&format!("{server}__{name}")));
            let front = words.len().min(LEXICAL_FIRST);
            prop_assert!(is_name || found[..front] == words[..front]);
        }
    }
}
