import { describeDrachtio } from '../../support/platform/drachtio.js';
import { describeFreeswitch } from '../../support/platform/freeswitch.js';
import { openWayIn, type WayIn } from '../../support/stages/way-in.js';
import { strangerCases } from './ways-in/strangers.js';
import { talkingCases } from './ways-in/talking.js';
import { trunkCases } from './ways-in/trunk.js';

/** For a `describe`. @param cases run on the way in, which is opened once for all of them */
function onWayIn(open: () => Promise<WayIn>, cases: (wayIn: () => WayIn) => void): void {
  let wayIn: WayIn;

  before(async function () {
    this.timeout(180_000);
    wayIn = await open();
  });
  after(async function () {
    this.timeout(60_000);
    await wayIn.close();
  });
  cases(() => wayIn);
}

/** The same for every way in. */
function allCases(wayIn: () => WayIn): void {
  talkingCases(wayIn);
  strangerCases(wayIn);
  describe('with a scripted carrier', () => trunkCases(wayIn));
}

/** Calls go to one engine, then to the other; registrations, trunks and the edge stay. */
function casesOfBoth(wayIn: () => WayIn): void {
  for (const engine of ['asterisk', 'freeswitch'] as const) {
    describe(`with calls on ${engine}`, () => {
      before(async function () {
        this.timeout(60_000);
        await wayIn().prefers(engine);
      });
      talkingCases(wayIn);
    });
  }
  strangerCases(wayIn);
  describe('with a scripted carrier', () => {
    trunkCases(wayIn);
  });
}

for (const isSecure of [false, true]) {
  const how = isSecure ? 'over TLS, with encrypted audio' : 'over UDP';

  describe(`the way in ${how}`, () => {
    describe('of Asterisk', () => onWayIn(() => openWayIn('asterisk', { hasEdge: false, isSecure }), allCases));
    describeFreeswitch('of FreeSWITCH', () =>
      onWayIn(() => openWayIn('freeswitch', { hasEdge: false, isSecure }), allCases),
    );
    describeDrachtio('of the edge', () => {
      describeFreeswitch('before both', () =>
        onWayIn(() => openWayIn('both', { hasEdge: true, isSecure }), casesOfBoth),
      );
    });
  });
}
