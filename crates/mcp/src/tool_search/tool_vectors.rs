//! Embeddings of tools: a vector for each declaration, and the cosine similarity of a query to each.
//!
//! A tool's vector is the sum of those of its name, its description and, at half weight, its parameters. All are centred by
//! the mean over all tools, and so is the query: what every declaration says ("the", "returns", "id") tells none of them apart.

use super::declaration::SearchedText;
use super::word_vectors::{WORD_VECTORS, WordVectors};

/// What the parameters count, where name and description count 1.
const PARAMETERS: f32 = 0.5;

/// With fewer tools the mean over them is no measure of what is common, and words find them.
pub(super) const FEWEST_TOOLS: usize = 16;

/// Shorter vectors are what rounding leaves of equal ones, and have no direction.
const SHORTEST: f32 = 1e-6;

/// The vectors of tools, of length 1 or 0.
#[derive(Debug)]
pub(super) struct ToolVectors {
    words: &'static WordVectors<'static>,
    tools: Vec<Vec<f32>>,
    mean: Vec<f32>,
}

impl ToolVectors {
    /// The vectors of these tools; `None`: they are too few.
    pub(super) fn new(tools: &[SearchedText]) -> Option<Self> {
        let words = WORD_VECTORS.as_ref().filter(|_| tools.len() >= FEWEST_TOOLS)?;
        let mut tools: Vec<Vec<f32>> = tools.iter().map(|tool| vector(words, tool)).collect();
        let mut sum = vec![0.0; words.mean("").len()];
        for tool in &tools {
            sum.iter_mut().zip(tool).for_each(|(sum, value)| *sum += f64::from(*value));
        }
        let mean: Vec<f32> = sum.iter().map(|sum| (sum / tools.len() as f64) as f32).collect();
        tools.iter_mut().for_each(|tool| centre(tool, &mean));
        Some(ToolVectors { words, tools, mean })
    }

    /// How near each tool is to a query, from -1 to 1; `None`: the query has no word that is known.
    pub(super) fn cosines(&self, query: &str) -> Option<Vec<f32>> {
        let mut query = unit(self.words.mean(query));
        if query.iter().all(|value| *value == 0.0) {
            return None;
        }
        centre(&mut query, &self.mean);
        Some(self.tools.iter().map(|tool| dot(tool, &query)).collect())
    }

    /// Is one of the words of a query known as a whole?
    pub(super) fn knows_a_word(&self, query: &str) -> bool {
        self.words.knows_a_word(query)
    }
}

fn vector(words: &WordVectors<'_>, tool: &SearchedText) -> Vec<f32> {
    let [mut sum, description, parameters] = [&tool.name, &tool.description, &tool.parameters]
        .map(|text| unit(words.mean(text.trim_start())));
    for (at, sum) in sum.iter_mut().enumerate() {
        *sum += description[at] + PARAMETERS * parameters[at];
    }
    unit(sum)
}

fn centre(vector: &mut Vec<f32>, mean: &[f32]) {
    vector.iter_mut().zip(mean).for_each(|(value, mean)| *value -= mean);
    *vector = unit(std::mem::take(vector));
}

/// The vector at length 1; zero if it has none.
fn unit(mut vector: Vec<f32>) -> Vec<f32> {
    let length = dot(&vector, &vector).sqrt();
    let share = if length > SHORTEST { 1.0 / length } else { 0.0 };
    vector.iter_mut().for_each(|value| *value *= share);
    vector
}

/// The sum of products, in order: the same on every machine.
fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
