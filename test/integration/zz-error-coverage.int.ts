import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { expect } from 'chai';
import { ERROR_CODES, isReserved, RESERVED_CODES } from '../../core/model/errors/index.js';
import { producedCodes, reachableCodes } from '../support/judges/error-coverage.js';
import { skipBecause } from '../support/skip.js';

/** Of what callers hear: complete, so that none of them may be exempt. */
const HEARD = /^(CALLFLOW|VERIFY|VOICE_AUTH|VOICEMAIL)_|^IVR_DISABLED$/;

// Its name makes it the suite's last file: it looks at what all others made the platform answer.
describe('the catalogue of errors', () => {
  before(function () {
    const loaded = new Set(suitesOf(this.test).map((suite) => basename(suite.file ?? '')));
    const missing = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
      .map((file) => basename(file))
      .filter((name) => name.endsWith('.int.ts') && !loaded.has(name));
    if (missing.length > 0)
      skipBecause(this, `only a run of all integration tests makes every code; without ${missing.length} files`);
  });

  it('has each code produced by a route of the platform, unless the code is reserved', () => {
    const produced = producedCodes();
    const missing = ERROR_CODES.filter((code) => !produced.has(code) && !isReserved(code));
    expect(missing, 'no test makes a route answer these').to.deep.equal([]);
  });

  it('has each code of call flows, verification, voice authentication and voicemail produced, without exemption', () => {
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
