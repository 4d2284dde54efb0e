import { expect } from 'chai';
import { generateToken } from '../../../core/model/access/tokens.js';
import { EngineError } from '../../../core/ports/engine.js';
import { ask } from '../../support/api.js';
import { codeOf } from '../../support/judges/outcome.js';
import { barePlatform } from '../../support/platform/bare-platform.js';
import {
  PAGE_OF_PROJECT,
  webCallingEach,
  type WebCallingStage,
} from '../../support/stages/web-calling/web-calling-stage.js';

const NONCE = 'a nonce of this device';
const AN_ID = '017f22e2-79b0-7cc3-98c4-dc0c0c07398f';

describe('A token of web calling', function () {
  this.timeout(60_000);
  let stage: WebCallingStage;
  webCallingEach((made) => (stage = made));

  const statusOf = async (id: string): Promise<unknown> => (await stage.ask('GET', `/sessions/${id}`)).body?.status;

  it('of another project is of no use to a page of this one, and is not spent there', async () => {
    const other = await stage.api.owner();
    const { key } = await stage.api.key({ projectId: other.projectId });
    const { id, token } = await stage.session({}, key);
    expect(codeOf(await stage.connect(token, {}, PAGE_OF_PROJECT))).to.equal('403 ORIGIN_NOT_ALLOWED');
    const seen = await stage.ask('GET', `/sessions/${id}`, undefined, key);
    expect(seen.body).to.include({ status: 'pending', connected_at: null });
    expect(stage.engine.softphones.size).to.equal(0);
    // The same page with the session of its own project.
    const own = await stage.session();
    expect(codeOf(await stage.connect(own.token, {}, PAGE_OF_PROJECT))).to.equal('200');
    expect(await statusOf(own.id)).to.equal('active');
  });

  it('is counted with how its use ended', async () => {
    const { token } = await stage.session();
    for (let times = 0; times < 2; times += 1) await stage.connect(token, { device_nonce: NONCE });
    await stage.connect(token, { device_nonce: `${NONCE}, changed` });
    await stage.connect(token, { device_nonce: NONCE });
    await stage.connect('wcs_made-up');
    const relayed = await stage.session({ require_relay: true });
    await stage.connect(relayed.token);
    const refused = await stage.session();
    await stage.connect(refused.token, {}, 'https://www.stranger.example');
    stage.engine.refusal = new EngineError('rejected', 'no more endpoints');
    await stage.connect(refused.token);
    stage.pass(3_600_000);
    await stage.connect(refused.token);
    expect(stage.outcomes).to.deep.equal([
      ...['connected', 'repeated', 'WCS_REUSE_DETECTED', 'WCS_REVOKED', 'WCS_NOT_FOUND', 'TURN_UNAVAILABLE'],
      ...['ORIGIN_NOT_ALLOWED', 'WEBRTC_PROVISIONING_FAILED', 'WCS_EXPIRED'],
    ]);
  });

  it('counts as open until it is over, for the metrics', async () => {
    const open = () => stage.stores.webSessions.open(new Date());
    const before = await open();
    const [first, second] = [await stage.session(), await stage.session()];
    await stage.connect(first.token);
    expect(await open()).to.deep.equal({ pending: before.pending + 1, active: before.active + 1 });
    for (const { id } of [first, second]) await stage.ask('DELETE', `/sessions/${id}`);
    expect(await open()).to.deep.equal(before);
  });
});

describe('A token of web calling as a key', function () {
  this.timeout(60_000);

  it('is refused by every operation that takes a key or an access token', async () => {
    const environment = { RATE_LIMIT_ADDRESS_PER_MINUTE: '100000' };
    const bare = await barePlatform('api', environment);
    try {
      const { url, routes } = bare.platform.api!;
      const closed = routes.filter(({ keyKind }) => keyKind !== 'none' && keyKind !== 'widget');
      expect(closed).to.have.lengthOf.above(200);
      const answered: string[] = [];
      for (const { method, path, keyKind } of closed) {
        const answer = await ask(url, method, path.replaceAll(/:\w+/g, AN_ID), { key: generateToken('webCalling') });
        // Directories read no code of this platform (RFC 7644 §3.12).
        const wanted = keyKind === 'scim' ? '401' : '401 WCS_NOT_ALLOWED_AS_BEARER';
        if (codeOf(answer) !== wanted) answered.push(`${method} ${path}: ${codeOf(answer)}`);
      }
      expect(answered).to.deep.equal([]);
    } finally {
      await bare.close();
    }
  });
});
