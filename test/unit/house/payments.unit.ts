import { expect } from 'chai';
import { readIban } from '../../../config/iban.js';
import { readSettings } from '../../../config/read-settings.js';
import { SettingsError } from '../../../config/settings-error.js';
import { canPaymentMove, newPaymentReference, PAYMENT_STATUSES } from '../../../core/model/payment.js';
import { vatInHalalas } from '../../../core/model/money.js';

describe('payments', () => {
  it('add tax in whole halalas, halves up', () => {
    expect(vatInHalalas(100_000_000, 15)).to.equal(15_000_000);
    expect(vatInHalalas(100_000, 15)).to.equal(20_000);
    expect(vatInHalalas(90_000, 15)).to.equal(10_000);
    expect(vatInHalalas(990_000, 0)).to.equal(0);
  });

  it('never leave the status succeeded, and can reach it from every other status', () => {
    for (const status of PAYMENT_STATUSES) {
      expect(canPaymentMove('succeeded', status), status).to.equal(false);
      expect(canPaymentMove(status, 'succeeded'), status).to.equal(status !== 'succeeded');
      expect(canPaymentMove(status, 'pending'), status).to.equal(false);
    }
    expect(canPaymentMove('cancelled', 'failed')).to.equal(false);
  });

  it('have unique references without ambiguous characters', () => {
    const references = Array.from({ length: 500 }, newPaymentReference);
    expect(new Set(references).size).to.equal(500);
    for (const reference of references) expect(reference).to.match(/^HT[2-9A-HJKMNP-Z]{10}$/);
  });

  describe('go to an IBAN', () => {
    // SAMA's example, and those of the ISO 13616 registry.
    for (const iban of [
      'SA03 8000 0000 6080 1016 7519',
      'GB29 NWBK 6016 1331 9268 19',
      'de89370400440532013000',
      'KW81CBKU0000000000001234560101',
    ]) {
      it(`such as ${iban}`, () => expect(readIban(iban)).to.equal(iban.replace(/\s/g, '').toUpperCase()));
    }

    it('without a wrong digit or two swapped ones', () => {
      const iban = 'SA0380000000608010167519';
      for (let at = 2; at < iban.length; at += 1) {
        const digit = Number(iban[at]);
        expect(readIban(iban.slice(0, at) + String((digit + 1) % 10) + iban.slice(at + 1)), `digit ${at}`).to.equal(
          null,
        );
        if (at + 1 < iban.length && iban[at] !== iban[at + 1]) {
          const twisted = iban.slice(0, at) + iban.charAt(at + 1) + iban.charAt(at) + iban.slice(at + 2);
          expect(readIban(twisted), `digits ${at}`).to.equal(null);
        }
      }
      for (const text of ['', 'SA03', 'SA038000000060801016751', '0380000000608010167519SA']) {
        expect(readIban(text), text).to.equal(null);
      }
    });
  });

  describe('are configured', () => {
    const problems = (environment: Record<string, string>): string => {
      try {
        readSettings(environment);
        return '';
      } catch (error) {
        if (error instanceof SettingsError) return error.problems.join('\n');
        throw error;
      }
    };
    const account = { PAYMENT_IBAN: 'SA03 8000 0000 6080 1016 7519', PAYMENT_ACCOUNT_NAME: 'Operator' };
    const gateway = {
      PAYMENT_GATEWAY_URL: 'https://bridge.example',
      PAYMENT_GATEWAY_SECRET: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
    };

    it('with an account and a gateway', () => {
      expect(readSettings({ ...account, ...gateway }).PAYMENT_IBAN).to.equal('SA0380000000608010167519');
    });

    for (const [what, environment, words] of [
      [
        'an IBAN with a digit wrong',
        { ...account, PAYMENT_IBAN: 'SA0480000000608010167519' },
        /PAYMENT_IBAN.*checksum/,
      ],
      ['an IBAN without an account name', { PAYMENT_IBAN: account.PAYMENT_IBAN }, /both or neither/],
      ['a gateway without a secret', { PAYMENT_GATEWAY_URL: 'https://bridge.example' }, /both or neither/],
      ['a secret that is too short', { ...gateway, PAYMENT_GATEWAY_SECRET: 'whsec_c2hvcnQ=' }, /24 bytes/],
      ['a secret that is not Base64', { ...gateway, PAYMENT_GATEWAY_SECRET: `whsec_${'a'.repeat(33)}` }, /24 bytes/],
      ['a tax above 100 percent', { BILLING_VAT_PERCENT: '101' }, /BILLING_VAT_PERCENT/],
    ] as const) {
      it(`never with ${what}`, () => expect(problems(environment)).to.match(words));
    }
  });
});
