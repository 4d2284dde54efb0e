import { expect } from 'chai';
import { fullNumber } from '../../../core/model/phone-numbers.js';
import { callsShown, withCustomerNumbers } from '../../../core/services/call-state/presenting/customer-number.js';

const call = (call_id: string, more: object = {}) => ({ call_id, customer_number_masked: '+96650••••17', ...more });
const numberOf = (callId: string): string => `+${callId}`;

describe('the customer’s number', () => {
  it('is added beside the masked one, in lists, timelines and events', () => {
    const event = { id: 'e', type: 'call.ended', call_id: '3', data: call('3', { sequence: 1 }) };
    const shown = { data: [call('1'), { callback_id: '2', customer_number_masked: 'x' }, event], next_cursor: null };
    expect(callsShown(shown)).to.deep.equal(['1', '2', '3']);
    expect(withCustomerNumbers(shown, numberOf)).to.deep.equal({
      data: [
        call('1', { customer_number: '+1' }),
        { callback_id: '2', customer_number_masked: 'x', customer_number: '+2' },
        { ...event, data: call('3', { sequence: 1, customer_number: '+3' }) },
      ],
      next_cursor: null,
    });
  });

  it('is added to recordings and voicemail messages', () => {
    const recording = { recording_id: 'r', call_id: '1', leg: 'customer', legal_hold: false };
    const message = { id: 'v', call_id: '2', from: '+2', transcription_status: 'disabled' };
    expect(withCustomerNumbers([recording, message], numberOf)).to.deep.equal([
      { ...recording, customer_number: '+1' },
      { ...message, customer_number: '+2' },
    ]);
  });

  it('is not added to what shows no customer, nor to the client’s own objects', () => {
    const own = call('2');
    for (const value of [
      null,
      'text',
      { call_id: '1', action: 'hold', status: 'accepted' },
      { conference_id: 'c', recording_id: 'r', legal_hold: false },
      { customer_number_masked: '+96650••••17' },
      { definition: own, metadata: own },
    ]) {
      expect(callsShown(value)).to.deep.equal([]);
      expect(withCustomerNumbers(value, numberOf)).to.deep.equal(value);
    }
    expect(callsShown(call('1', { metadata: own }))).to.deep.equal(['1']);
  });

  it('is null if it is withheld or no telephone number', () => {
    expect(fullNumber('+966501234517')).to.equal('+966501234517');
    for (const stored of ['anonymous', '', '1001', '911', 'sip:reem@example.com', '+', '+0123', '+966501234517;x'])
      expect(fullNumber(stored)).to.equal(null);
  });
});
