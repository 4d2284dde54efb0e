import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { expect } from 'chai';
import { ERROR_CODES, isReserved, RESERVED_CODES } from '../../core/model/errors/index.js';
import { producedCodes, reachableCodes } from '../support/judges/error-coverage.js';
import { skipBecause } from '../support/skip.js';

/** The codes of features that callers hear. None of them may be reserved. */
const HEARD = /^(CALLFLOW|VERIFY|VOICE_AUTH|VOICEMAIL)_|^IVR_DISABLED$/;

// The file name makes it the last one of the suite: it checks the codes that all other files made the platform return.
describe('the catalogue of errors', () => {
  before(function () {
    const loaded = new Set(suitesOf(this.test).map((suite) => basename(suite.file ?? '')));
    const missing = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
      .map((file) => basename(file))
      .filter((name) => name.endsWith('.int.ts') && !loaded.has(name));
    if (missing.length > 0)
      skipBecause(this, `only a run of all integration tests produces every code; ${missing.length} files are missing`);
  });

  it('contains only codes that a route produces, except reserved ones', () => {
    const produced = producedCodes();
    const missing = ERROR_CODES.filter((code) => !produced.has(code) && !isReserved(code));
    expect(missing, 'no test makes a route return these codes').to.deep.equal([]);
  });

  it('contains no code of call flows, verification, voice authentication or voicemail that no route produces', () => {
    const produced = producedCodes();
    const heard = ERROR_CODES.filter((code) => HEARD.test(code));
    expect(heard).to.have.lengthOf.at.least(26);
    expect(heard.filter((code) => !produced.has(code))).to.deep.equal([]);
  });

  it('reserves no code that a route can return', () => {
    const reachable = reachableCodes();
    expect(reachable.size).to.be.above(40);
    const known = new Set([...reachable, ...producedCodes()]);
    expect(RESERVED_CODES.filter((code) => known.has(code))).to.deep.equal([]);
  });
});

function suitesOf(runnable: Mocha.Runnable | undefined): readonly Mocha.Suite[] {
  let root = runnable?.parent;
  while (root?.parent) root = root.parent;
  return root?.suites ?? [];
}
