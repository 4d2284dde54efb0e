import { expect } from 'chai';
import { createLogger } from '../../../api/http/logging.js';
import { redact, redactText } from '../../../api/http/redact.js';
import { generateKey } from '../../../core/model/access/keys.js';

describe('the redaction of logs', () => {
  it('masks telephone numbers in texts, but not ids, times and addresses', () => {
    expect(redactText('ring +966501234567 and 0501234567, 00966501234567.')).to.equal(
      'ring +96650••••67 and 05••••67, 009665••••67.',
    );
    for (const text of [
      '01934f6e-9d5c-7cc3-8f0e-0d8f5b7a4c11',
      '2026-01-01T00:00:00.000+03:00',
      'http://127.0.0.1:8080/v1/calls',
      'took 1767225600000 ms',
    ]) {
      expect(redactText(text)).to.equal(text);
    }
  });

  it('replaces secrets at any depth, by field name or by form', () => {
    const key = generateKey('live');
    const logged = redact({
      headers: { Authorization: `Bearer ${key}` },
      body: { digits: '1234', to: '+966501234567', nested: [{ sip_password: 'x', code: 5, signing_secret: 'y' }] },
      note: `used ${key} and whsec_abc/+=`,
      error: Object.assign(new Error(`no route to +966501234567 with ${key}`), { token: 't' }),
      status_code: 200,
      at: new Date(0),
      none: null,
      bytes: Buffer.from('secret'),
    });
    const text = JSON.stringify(logged);
    expect(text).to.not.include(key).and.not.include('966501234567').and.not.include('1234"').and.not.include('abc/');
    expect(logged).to.have.nested.property('body.nested[0].sip_password', '[redacted]');
    expect(logged).to.have.nested.property('body.nested[0].code', '[redacted]');
    expect(logged).to.have.nested.property('error.token', '[redacted]');
    expect(logged).to.deep.include({ status_code: 200, none: null, at: new Date(0) });
  });

  it('handles circular references', () => {
    const loop: Record<string, unknown> = {};
    loop.loop = loop;
    expect(JSON.stringify(redact(loop))).to.include('[deep]');
  });

  it('applies to every line of the logger, including messages and child loggers', () => {
    const lines: string[] = [];
    const logger = createLogger({ level: 'info', destination: { write: (line: string) => void lines.push(line) } });
    const child = logger.child({ part: 'api' }).child({ call: { number: '+966501234567' } });
    child.info({ err: new Error('busy: +966501234567'), password: 'x' }, 'called +966501234567');
    logger.error('plain +966501234567');
    logger.debug({}, 'below the level');
    expect(lines).to.have.lengthOf(2);
    expect(lines.join()).to.not.include('966501234567').and.not.include('"x"');
    const first = JSON.parse(lines[0]!) as Record<string, unknown>;
    expect(first).to.include({ part: 'api', level: 'info', msg: 'called +96650••••67', password: '[redacted]' });
    expect(first).to.have.nested.property('err.message', 'busy: +96650••••67');
    expect(first).to.have.nested.property('call.number', '+96650••••67');
  });
});
