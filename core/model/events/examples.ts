/** One call, as the examples of the events show it. */
export const CALL_EXAMPLE = {
  call_id: '01934f6e-9d5c-7cc3-8f0e-0d8f5b7a4c11',
  kind: 'outbound',
  direction: 'outbound',
  status: 'answered',
  customer_number_masked: '+96650••••17',
  line_number: '+966112345678',
  queue_id: null,
  agent: '1001',
  callflow_id: null,
  conference_id: null,
  sandbox: false,
  on_hold: false,
  muted: false,
  legs: [
    { leg: 'customer', status: 'answered', on_hold: false, muted: false, quality: null },
    { leg: 'agent', status: 'answered', on_hold: false, muted: false, quality: null },
  ],
  recording: false,
  recording_available: false,
  disposition: null,
  hangup_cause: null,
  queued_seconds: null,
  duration_seconds: null,
  metadata: { ticket: '4711' },
  created_at: '2026-01-31T06:00:00.000Z',
  ringing_at: '2026-01-31T06:00:01.200Z',
  answered_at: '2026-01-31T06:00:06.480Z',
  ended_at: null,
  served_queue_id: null,
  sequence: 3,
} as const;

/** The same call after its end. */
export const ENDED_CALL_EXAMPLE = {
  ...CALL_EXAMPLE,
  status: 'ended',
  legs: CALL_EXAMPLE.legs.map((leg) => ({ ...leg, status: 'ended' })),
  disposition: 'answered',
  hangup_cause: { q850: 16, sip_code: null, text: 'Normal call clearing' },
  duration_seconds: 61,
  ended_at: '2026-01-31T06:01:07.510Z',
  sequence: 4,
} as const;

/** The same call, never answered. */
export const UNANSWERED_CALL_EXAMPLE = {
  ...CALL_EXAMPLE,
  legs: [{ leg: 'customer', status: 'ended', on_hold: false, muted: false, quality: null }],
  agent: null,
  answered_at: null,
  ended_at: '2026-01-31T06:00:46.200Z',
  sequence: 3,
} as const;
