/**
 * Expressions that a reader of plain technical English stumbles over, and what to write instead. A space matches any
 * white space, also a line break with a comment's `*`, `//` or `#` after it.
 */
export const WORDS = [
  // Vague persons and owners.
  [/whoever/, 'name the person or process'],
  [/whom/, 'name the person or process'],
  [/who asks/, 'the client, the caller …'],
  [/(?:nobody|somebody|everybody)'s/, 'name the owner'],
  [/in whose hands/, 'that owns'],
  [/(?:in|into|out of) (?:the|these|our|its|their|his|other|whose) hands/, 'owned by, controlled by'],
  [/in hand/, 'owned by, loaded'],
  [/one's own/, 'your own'],
  [/as one likes/, 'as you like'],
  // Reporting.
  [/(?:is|are|was|were|be|been|being) told/, 'is notified, is reported, gets'],
  [/(?:tell|tells|told|telling) of/, 'report, notify'],
  [/has it that/, 'says that'],
  [/(?:nothing|anything) (?:is|was|were) heard/, 'no notice arrived'],
  [/nothing is known/, 'is unknown'],
  [/(?:write|writes|wrote|writing|written) (?:\w+ )?down/, 'store, save, record, transcribe'],
  // Subjects that are clauses.
  [/what (?:is|was|are|were) (?:left|known|there|begun|noted|wanted|asked|over|to be had)/, 'name the thing'],
  [/what (?:became|becomes|becoming|came|comes) of/, 'the outcome of, the result of'],
  [/how (?:\w+ )?(?:it|they|things|payments|calls|matters) stands?/, 'the state of'],
  [/whatever (?:came|comes) of/, 'whatever the outcome of'],
  // Verbs.
  [/look(?:s|ed|ing)? after/, 'check, manage, monitor'],
  [/look(?:s|ed)? whether/, 'check whether'],
  [/(?:is|are|was|were|be) begun/, 'start, begin'],
  [/(?:go|goes|went|gone) on(?! (?:hold|to|for)\b)/, 'continue'],
  [/(?:is|are|was|were|be) made ready/, 'prepare'],
  [/(?:is|are|was|were|be) let go/, 'end, hang up'],
  [/(?:can|could|cannot|may|to|must) (?:not )?be had/, 'be available'],
  [/(?:come|comes|came) to be/, 'become, arise'],
  [/stands? (?:in|on|at|under|beside|there|before|behind|between)/, 'is in, is under'],
  [/taken down/, 'removed, stopped'],
  [/ask(?:s|ed)? of/, 'require of, request from'],
  // Single words.
  [/anew/, 'again'],
  [/besides(?=[,.:;])/, 'also'],
  [/in earnest/, 'in production'],
  [/that (?:many|much)/, 'this number, this amount'],
  [/so many/, 'this number of, many'],
  [/so long(?! as\b)/, 'for this time'],
  [/(?:there|where)(?:of|in|by|upon|with)/, 'reword'],
  [/where (?:there (?:is|are|was|were)|none|nobody|nothing|no \w+ is)/, 'if there is …'],
  // Jargon that was replaced: see the names in the code.
  [/conductors?/, 'CallController'],
  [/tellers?/, 'QueueAgentEvents'],
  [/keepers?/, 'name the component'],
  [/queue (?:floor|desk|stay)s?/, 'QueueCallBridge, QueueCoordinator, queue wait'],
  [/(?:message )?lamps?/, 'MWI, message waiting indicator'],
];
