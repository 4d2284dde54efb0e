import { expect } from 'chai';
import { generateKey } from '../../../core/model/access/keys.js';
import { newSigningSecret } from '../../../core/services/webhooks/secret.js';
import { secretsIn } from '../../support/judges/log-secrets.js';

/** Tests the detector: if it found nothing, every log would pass. */
describe('the detection of secrets in logs', () => {
  for (const secret of [
    generateKey('live'),
    generateKey('sandbox'),
    newSigningSecret(),
    '+966501234567',
    '00966501234567',
    '%2B966501234567',
    '0501234567',
    'postgres://hatif:secret@127.0.0.1/hatif',
    'redis://:secret@127.0.0.1',
    'a password',
  ]) {
    it(`finds ${secret.slice(0, 14)}`, () => {
      expect(secretsIn(`{"a":1}\n{"msg":"see ${secret} there"}\n`, ['a password'])).to.have.length(1);
    });
  }

  it('finds nothing in a log without secrets', () => {
    const log =
      '{"time":1796659665123,"id":"01a1fecb-3ce0-7076-a53b-cfd52b530901","to":"+96650••••17","line":"+966115550100"}';
    expect(secretsIn(log, ['a password'])).to.deep.equal([]);
  });
});
