import { expect } from 'chai';
import { newId } from '../../../core/model/ids.js';
import { AriRefusal, type AriHttp } from '../../../engine/asterisk/ari/ari-http.js';
import type { EngineLink } from '../../../engine/asterisk/ari/engine-link.js';
import type { Arrivals } from '../../../engine/asterisk/arrivals.js';
import { AsteriskRecordings } from '../../../engine/asterisk/asterisk-recordings.js';
import type { LegRegistry } from '../../../engine/asterisk/leg-registry.js';

describe('a recording of Asterisk that has not begun yet', () => {
  /** Asterisk's refusals, in order, of the first channel's commands; then it accepts them. */
  function recordingsWith(refusals: AriRefusal[]) {
    const sent: string[] = [];
    const http = {
      send: (method: string, path: string): Promise<void> => {
        if (!path.includes('-1/')) return Promise.reject(new AriRefusal(404, 'Recording not found'));
        sent.push(`${method} ${path.slice(path.lastIndexOf('/'))}`);
        const refusal = refusals.shift();
        return refusal ? Promise.reject(refusal) : Promise.resolve();
      },
    } as unknown as AriHttp;
    const link = { require: () => undefined } as unknown as EngineLink;
    const unused = null as unknown;
    const recordings = new AsteriskRecordings(http, link, unused as LegRegistry, unused as Arrivals, () => undefined);
    return { recordings, sent };
  }
  const notYet = (): AriRefusal => new AriRefusal(409, 'Recording not in session');

  it('is paused as soon as it has begun', async () => {
    const { recordings, sent } = recordingsWith([notYet(), notYet()]);
    await recordings.pause(newId());
    expect(sent).to.deep.equal(['POST /mute', 'POST /mute', 'POST /mute']);
  });

  it('reports a refusal of another kind at once', async () => {
    const { recordings, sent } = recordingsWith([new AriRefusal(500, 'Allocation failed')]);
    const error = await recordings.pause(newId()).catch((reason: unknown) => reason);
    expect(error).to.have.property('status', 500);
    expect(sent).to.have.length(1);
  });

  it('reports that it never began', async () => {
    const { recordings } = recordingsWith(Array.from({ length: 100 }, notYet));
    const error = await recordings.resume(newId()).catch((reason: unknown) => reason);
    expect(error).to.have.property('status', 409);
  });
});
