import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { FEATURE_CODES, featureCodes, readFeatureCode } from '../../../../core/model/feature-codes.js';

describe('feature codes', () => {
  const forward = (when: string, to: string, seconds: number | null = null) => ({
    does: 'forward',
    case: when,
    to,
    seconds,
  });

  for (const [dialled, feature] of [
    ['*43', { does: 'echo' }],
    ['*45501', { does: 'log_in', dialCode: '501' }],
    ['*46501', { does: 'log_out', dialCode: '501' }],
    ['*47', { does: 'pause' }],
    ['*60', { does: 'block_caller' }],
    ['*66', { does: 'block_own_caller' }],
    ['*77', { does: 'reject_anonymous', on: true }],
    ['*87', { does: 'reject_anonymous', on: false }],
    ['*98', { does: 'voicemail' }],
    ['*78', { does: 'do_not_disturb', on: true }],
    ['*79', { does: 'do_not_disturb', on: false }],
    ['*21*0501234567#', forward('always', '0501234567')],
    ['*21*0501234567', forward('always', '0501234567')],
    ['*21*+966501234567#', forward('always', '+966501234567')],
    ['*67*1002#', forward('busy', '1002')],
    ['*62*reem.a#', forward('unregistered', 'reem.a')],
    ['*61*1002#', forward('no_answer', '1002')],
    ['*61*1002*30#', forward('no_answer', '1002', 30)],
    ['*61*1002**30#', forward('no_answer', '1002', 30)],
    ['*61*0#', forward('no_answer', '0')],
    ['*21*1002%23', forward('always', '1002')],
    ['#21#', { does: 'cancel_forward', case: 'always' }],
    ['#21', { does: 'cancel_forward', case: 'always' }],
    ['##21#', { does: 'cancel_forward', case: 'always' }],
    ['%2361%23', { does: 'cancel_forward', case: 'no_answer' }],
    ['#62#', { does: 'cancel_forward', case: 'unregistered' }],
    ['#67#', { does: 'cancel_forward', case: 'busy' }],
    ['##002#', { does: 'cancel_forwards' }],
    ['*45', { does: 'unknown' }],
    ['*45x', { does: 'unknown' }],
    ['*21*#', { does: 'unknown' }],
    ['*21*1002*30#', { does: 'unknown' }],
    ['*99', { does: 'unknown' }],
    ['#', { does: 'unknown' }],
    ['1002', null],
    ['0501234567', null],
    ['911', null],
  ] as const) {
    it(`reads ${dialled}`, () => expect(readFeatureCode(dialled, FEATURE_CODES)).to.deep.equal(feature));
  }

  it('can be those of an installation, which replace the usual ones', () => {
    const codes = featureCodes({ forward_always: '*72', cancel_forward_always: '*73', do_not_disturb: '#78#' });
    if ('fault' in codes) throw new Error(codes.fault);
    expect(readFeatureCode('*721002', codes)).to.deep.equal(forward('always', '1002'));
    expect(readFeatureCode('*73', codes)).to.deep.equal({ does: 'cancel_forward', case: 'always' });
    expect(readFeatureCode('#78#', codes)).to.deep.equal({ does: 'do_not_disturb', on: true });
    expect(readFeatureCode('*21*1002#', codes)).to.deep.equal({ does: 'unknown' });
    expect(readFeatureCode('*79', codes), 'others stay').to.deep.equal({ does: 'do_not_disturb', on: false });
  });

  it('are read by the longest of those that fit', () => {
    const codes = featureCodes({ forward_always: '*4' });
    if ('fault' in codes) throw new Error(codes.fault);
    expect(readFeatureCode('*45501', codes)).to.deep.equal({ does: 'log_in', dialCode: '501' });
    expect(readFeatureCode('*47', codes)).to.deep.equal({ does: 'pause' });
    expect(readFeatureCode('*41002', codes)).to.deep.equal(forward('always', '1002'));
  });

  it('are all documented', () => {
    const page = readFileSync('docs/reference/feature-codes.md', 'utf8');
    for (const [name, code] of Object.entries(FEATURE_CODES)) expect(page).to.contain(`| \`${name}\` | \`${code}`);
  });

  for (const [own, entry] of [
    [{ nothing: '*72' }, 'nothing=*72'],
    [{ pause: '72' }, 'pause=72'],
    [{ pause: '*' }, 'pause=*'],
    [{ pause: '*7a' }, 'pause=*7a'],
    [{ do_not_disturb: '*47' }, 'do_not_disturb=*47'],
    [{ do_not_disturb: '*47#' }, 'do_not_disturb=*47#'],
  ] as const) {
    it(`cannot be ${entry}`, () => {
      expect(featureCodes(own)).to.have.property('entry', entry);
    });
  }
});
