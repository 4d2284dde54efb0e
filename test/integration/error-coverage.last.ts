import { expect } from 'chai';
import { EVENT_TYPES } from '../../core/model/events/index.js';
import { ERROR_CODES, isReserved, RESERVED_CODES } from '../../core/model/errors/index.js';
import { ReportedCodes } from '../support/judges/error-coverage.js';

/** The codes of features that callers hear. None of them may be reserved. */
const HEARD = /^(CALLFLOW|VERIFY|VOICE_AUTH|VOICEMAIL)_|^IVR_DISABLED$/;
/** The codes of web calling. */
const OF_BROWSERS = /^(WCS|WEBRTC|TURN|WEB_CALLING)_/;

/** Families of events. */
const MESSAGING = /^(message|broadcast|template|contact)\./;

// Runs after all integration tests, and checks the codes that they made the platform return.
describe('the catalogue of errors', () => {
  it('contains only codes that a route produces, except reserved ones', () => {
    const produced = ReportedCodes.read().produced();
    const missing = ERROR_CODES.filter((code) => !produced.has(code) && !isReserved(code));
    expect(missing, 'no test makes a route return these codes').to.deep.equal([]);
  });

  it('contains no code of call flows, verification, voice authentication or voicemail that no route produces', () => {
    const produced = ReportedCodes.read().produced();
    const heard = ERROR_CODES.filter((code) => HEARD.test(code));
    expect(heard).to.have.lengthOf.at.least(26);
    expect(heard.filter((code) => !produced.has(code))).to.deep.equal([]);
  });

  it('has a test that makes the platform record each event of messages, broadcasts, templates and contacts', () => {
    const recorded = ReportedCodes.read().events();
    const types = EVENT_TYPES.filter((type) => MESSAGING.test(type));
    expect(types).to.have.lengthOf.at.least(14);
    expect(types.filter((type) => !recorded.has(type))).to.deep.equal([]);
  });

  it('contains no code of web calling that no route produces', () => {
    const produced = ReportedCodes.read().produced();
    const codes = ERROR_CODES.filter((code) => OF_BROWSERS.test(code));
    expect(codes).to.have.lengthOf(9);
    expect(codes.filter((code) => !produced.has(code))).to.deep.equal([]);
  });

  it('reserves no code that a route can return', () => {
    const codes = ReportedCodes.read();
    expect(codes.reachable().size).to.be.above(40);
    const known = new Set([...codes.reachable(), ...codes.produced()]);
    expect(RESERVED_CODES.filter((code) => known.has(code))).to.deep.equal([]);
  });
});
