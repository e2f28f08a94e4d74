// Why a result went on as it came, in words: the short form for lists, the long form for one result.

const REASONS = {
  compressed: ['made smaller', 'The model got it in fewer tokens.'],
  '(made smaller)': ['made smaller', 'The model got it in fewer tokens.'],
  disabled: ['compression is off', 'Compression is turned off (mode “disabled”).'],
  observed: ['only measured', 'It was only measured (mode “observe”): the figures say what would have been saved.'],
  too_small: ['too short', 'It is too short: nothing worth the effort could be saved.'],
  too_large: ['too large', 'It is larger than what Tokenforge looks at.'],
  skipped_tool: ['tool is skipped', 'Its tool is on your list of tools to skip (skip_tools).'],
  expansion: ['was fetched back', 'The model asked for this original, so it gets it in full.'],
  exact_tool: ['file kept exact', 'It is the text of a file. Files stay exact, because the model may edit them.'],
  already_compressed: ['already compressed', 'It was already compressed, by Tokenforge or by an agent’s hook.'],
  client_message: ['agent’s own message', 'It is a message of the agent itself, which must reach the model as it is.'],
  nothing_to_do: ['nothing to shorten', 'No stage found anything to shorten.'],
  not_smaller: ['would not be smaller', 'What the stages made of it had no fewer tokens.'],
  out_of_time: ['took too long', 'Compressing it took too long, so the original was sent.'],
  panicked: ['defect in Tokenforge', 'A defect in Tokenforge stopped the work, so the original was sent. Please report it.'],
  strategy_above_target: ['not short enough', 'The strategy’s text is longer than target_ratio allows, so the original was sent.'],
  strategy_not_smaller: ['strategy saved nothing', 'The strategy’s text had no fewer tokens, so the original was sent.'],
  strategy_not_stored: ['strategy not stored', 'The store did not take the strategy’s text, so the original was sent: later requests must repeat it.'],
  strategy_failed: ['strategy failed', 'The strategy that should have shortened it failed, so the original was sent.'],
  '(unknown)': ['reason not recorded', 'Written down by an older version, a hook or a tool gateway, which do not record reasons.'],
};

export const brief = (reason) => REASONS[reason]?.[0] ?? String(reason ?? '').replaceAll('_', ' ');

export const full = (reason) => REASONS[reason]?.[1] ?? brief(reason);

export const isTouched = (reason) => ['compressed', '(made smaller)'].includes(reason);

// Which part of an original the model asked for.
export const PARTS = { whole: 'all of it', lines: 'some lines', search: 'what a search found', path: 'a JSON path', other: 'not recorded' };
