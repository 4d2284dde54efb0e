/** The number at which a sandbox call is answered, and that of the first agent of the demo installation. */
const SANDBOX_NUMBER = '+966500000001';
const AGENT_NUMBER = '+966115550101';

/**
 * Requests that work as they are on the demo installation, with the sandbox key unless the operation needs a live one:
 * what “Try it” starts with. By `operationId`. The recorded examples name numbers and IDs that it does not have. A test
 * sends each in this order.
 */
export const DEMO_REQUESTS: Readonly<Record<string, unknown>> = {
  placeCall: { to: AGENT_NUMBER, play: { text: 'Hello from Hatif', language: 'en' } },
  placeCallback: { to: SANDBOX_NUMBER },
  createQueue: { name: 'support', dial_code: '501' },
  loginAgent: { agent: '1001', queue: 'support' },
  pauseAgent: { agent: '1001', reason: 'lunch' },
  unpauseAgent: { agent: '1001' },
  logoutAgent: { agent: '1001', queue: 'support' },
  createAgent: { agent: '1003', display_name: 'Reem' },
  createCallFlow: {
    name: 'Opening line',
    kind: 'graph',
    definition: {
      start: 'hello',
      language: 'en',
      nodes: { hello: { type: 'say', text: 'Good morning.', next: 'end' }, end: { type: 'hangup' } },
    },
  },
  orderNumber: { prefix: '+96611' },
  claimOwnNumber: { number: '+966112345678', method: 'letter' },
  blockCaller: { kind: 'exact', number: '+966501234567', note: 'Silent calls' },
  createPortingRequest: { numbers: ['+966112345679'], carrier: 'Example Telecom', account_name: 'Example Trading' },
  allocateVirtualNumber: { external_user_id: 'user-81' },
  startVerification: { to: SANDBOX_NUMBER, channel: 'voice', language: 'ar' },
  startChallenge: { to: SANDBOX_NUMBER, language: 'ar' },
  createBrand: { name_en: 'Sundus', name_ar: 'سندس' },
  createWidget: { name: 'Contact us' },
  setSpendCaps: { day_sar: 100, month_sar: 2000 },
  addUsageEvent: { event_id: 'evt-1042', type: 'sms.segment', quantity: 2, unit_price_sar: 0.2 },
};

/** Requests that no client of the API sends, so none was recorded. By `operationId`. */
export const OTHER_REQUESTS: Readonly<Record<string, unknown>> = {
  hearOfPayment: {
    type: 'payment.updated',
    data: {
      id: '0197f3a0-5c00-7000-8000-000000000001',
      status: 'succeeded',
      amount_halalas: 11500,
      currency: 'SAR',
    },
  },
  takeMessageNotice: {},
  receiveNationalIdNotice: {
    type: 'verification.updated',
    data: { id: '0197f3a0-5c00-7000-8000-000000000001', state: 'verified' },
  },
};
