import { expect } from 'chai';
import { newId } from '../../core/model/ids.js';
import { kindOf } from './rigs/stage.js';
import { conformance } from './suites/suite.js';
import { simulatorRig } from './rigs/simulator-rig.js';

describe('Simulator', () => {
  conformance(simulatorRig);

  it('rejects recordings, because it has no audio', async () => {
    const { engine } = await simulatorRig();
    expect(engine.capabilities.has('record')).to.equal(false);
    const request = { recordingId: newId(), legId: newId(), channels: 2, maxSeconds: 60 } as const;
    expect(await kindOf(engine.recordings.start(request))).to.equal('unsupported');
    expect(await engine.recordings.finished()).to.deep.equal([]);
  });
});
