import { expect } from 'chai';
import { createLogger } from '../../../api/http/logging.js';
import { redact, redactText } from '../../../core/model/access/redact.js';
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

  const forms: readonly [written: string, logged: string][] = [
    ['+966501234567', '+96650••••67'],
    ['to:+966501234567', 'to:+96650••••67'],
    ['+966 50 123 4567', '+96650••••67'],
    ['+966-50-123-4567', '+96650••••67'],
    ['+966 (50) 123 4567', '+96650••••67'],
    ['+٩٦٦٥٠١٢٣٤٥٦٧', '+96650••••67'],
    ['+442079460958', '+44207••••58'],
    ['+12345678', '+1••••78'],
    ['+44 20 7946 0958', '+44207••••58'],
    ['/v1/agents/%2B966501234567', '/v1/agents/+96650••••67'],
    ['?number=%2b966501234567&x=1', '?number=+96650••••67&x=1'],
    ['00966501234567', '009665••••67'],
    ['00 966 50 123 4567', '009665••••67'],
    ['tel:00966501234567', 'tel:009665••••67'],
    ['966501234567', '966501••••67'],
    ['PJSIP/966501234567@carrier', 'PJSIP/966501••••67@carrier'],
    ['966112345678', '966112••••78'],
    ['0501234567', '05••••67'],
    ['050 123 4567', '05••••67'],
    ['050-123-4567', '05••••67'],
    ['٠٥٠١٢٣٤٥٦٧', '05••••67'],
    ['tel:0501234567', 'tel:05••••67'],
    ['/v1/agents/0501234567', '/v1/agents/05••••67'],
    ['PJSIP/trunk-0501234567-0000002a', 'PJSIP/trunk-05••••67-0000002a'],
    ['rec_0501234567.wav', 'rec_05••••67.wav'],
    ['0112345678', '01••••78'],
    ['011 234 5678', '01••••78'],
    ['0501234567@10.0.0.1:5060', '05••••67@10.0.0.1:5060'],
    ['sip:+966501234567@carrier.example:5060;user=phone', 'sip:+96650••••67@carrier.example:5060'],
    ['sips:0501234567@carrier.example', 'sips:05••••67@carrier.example'],
    ['<sip:966501234567@10.0.0.1>;tag=x', '<sip:966501••••67@10.0.0.1>;tag=x'],
    ['"Reem" <sip:reem.h@home.example>', '"Reem" <sip:••••h@home.example>'],
    ['SIP:%2B966501234567@h', 'SIP:%2B966••••67@h'],
    ['{"to":"+966501234567"}', '{"to":"+96650••••67"}'],
  ];
  for (const [written, logged] of forms) {
    it(`masks ${written}`, () => expect(redactText(written)).to.equal(logged));
  }

  for (const text of [
    '01934f6e-9d5c-7cc3-8f0e-050123456789',
    '01934f6e-9d5c-7cc3-8f0e-966501234567',
    '01934f6e-9d5c-7cc3-8f0e-009665012345',
    '2026-11-23T01:12:00.000+03:00',
    '2026-11-23 01:12:00',
    'took 1796659665123 ms, or 1.0512345678 s',
    '127.0.0.1:50512 → 10.0.0.1:5060',
    'sip:carrier.example.com:5060',
    '9660000 bytes of 12345678901',
    '+96650••••67 and 05••••67',
  ]) {
    it(`leaves ${text} as it is`, () => expect(redactText(text)).to.equal(text));
  }

  it('masks the names of members too', () => {
    expect(redact({ '+966501234567': { tries: 2 } })).to.deep.equal({ '+96650••••67': { tries: 2 } });
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

  it('keeps each entry on its line, whatever it contains', () => {
    const lines: string[] = [];
    const logger = createLogger({ level: 'info', destination: { write: (line: string) => void lines.push(line) } });
    const forged = 'x\n{"level":"info","msg":"forged"}\r\n\u2028\u001b[2J';
    logger.info({ path: forged, [forged]: 1 }, forged);
    expect(lines).to.have.lengthOf(1);
    expect(lines[0]?.trimEnd()).to.not.include('\n').and.not.include('\r').and.not.include('\u001b');
    expect(JSON.parse(lines[0]!)).to.include({ level: 'info', msg: forged, path: forged });
  });

  it('begins each entry with its time in UTC', () => {
    const lines: string[] = [];
    createLogger({ level: 'info', destination: { write: (line: string) => void lines.push(line) } }).info('x');
    const { time } = JSON.parse(lines[0]!) as { readonly time: string };
    expect(time).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
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
