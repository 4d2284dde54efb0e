type Shown = Readonly<Record<string, unknown>>;

/**
 * Members by which an object of the API is known to show the customer of its call: of calls, callbacks and waiting
 * callers, of recordings, of voicemail messages.
 */
const MARKS = ['customer_number_masked', 'legal_hold', 'transcription_status'] as const;

/** The calls whose customers an answer, a list or the data of an event shows, each once. */
export function callsShown(value: unknown): readonly string[] {
  const ids = new Set<string>();
  eachShown(value, (shown, callId) => {
    ids.add(callId);
    return shown;
  });
  return [...ids];
}

/**
 * Returns the value with `customer_number` in every object that shows the customer of a call. This is the only place
 * that adds it: nothing is stored or sent with it otherwise.
 * @param numberOf the full number of the customer of a call; null if there is none to show
 */
export function withCustomerNumbers(value: unknown, numberOf: (callId: string) => string | null): unknown {
  return eachShown(value, (shown, callId) => ({ ...shown, customer_number: numberOf(callId) }));
}

/**
 * Follows `data` only, in which lists, timelines and events have what they show. Metadata and definitions are the
 * client's own: an object in them that looks like a call shows nobody.
 */
function eachShown(value: unknown, present: (shown: Shown, callId: string) => Shown): unknown {
  if (Array.isArray(value)) return value.map((item) => eachShown(item, present));
  if (typeof value !== 'object' || value === null) return value;
  const object = value as Shown;
  const within = 'data' in object ? { ...object, data: eachShown(object.data, present) } : object;
  const callId = object.call_id ?? object.callback_id;
  const isShown = typeof callId === 'string' && MARKS.some((mark) => mark in object);
  return isShown ? present(within, callId) : within;
}
