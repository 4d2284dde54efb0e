import { expect } from 'chai';
import { BullJobs } from '../../../adapters/jobs/bullmq.js';
import { newId } from '../../../core/model/ids.js';
import { systemClock } from '../../../core/ports/clock.js';
import { TranscriptionSweep } from '../../../core/services/transcription/sweep.js';
import type { TranscribeRecording } from '../../../core/services/transcription/transcribe.js';
import { Closers } from '../../../core/services/runtime/closers.js';
import { startTranscriptionWorker } from '../../../jobs/transcription-worker.js';
import { eventually } from '../../support/eventually.js';
import { quiet } from '../../support/logger.js';
import { runOften } from '../../support/periodic.js';
import { testRedis, type TestRedis } from '../../support/platform/redis.js';
import { transcriptionEach, understood, type TranscriptionStage } from '../../support/stages/transcription-stage.js';

describe('Transcription', function () {
  this.timeout(60_000);
  let stage: TranscriptionStage;
  transcriptionEach((made) => (stage = made));

  it('is made once even if several workers try', async () => {
    const { call, row } = await stage.recorded();
    await Promise.all([1, 2, 3, 4].map(() => stage.worker().transcribe(row.id)));
    expect(stage.peer.asked).to.have.length(2);
    expect(await stage.eventsOf(call)).to.have.length(1);
  });

  it('of a worker that was too slow is discarded', async () => {
    const { call, row } = await stage.recorded();
    stage.peer.hears = (request) => understood(request);
    const first = await stage.transcripts.claim(row.id, 60);
    await stage.retryNow(row);
    expect(
      await stage.transcripts.finish(first!, { status: 'failed', problem: 'late' }, new Date(), () => neverCalled()),
    ).to.equal(null);
    expect((await stage.get(call)).body).to.include({ status: 'completed' });
  });

  describe('as a job', () => {
    let redis: TestRedis;
    let jobs: BullJobs;
    let stop: () => Promise<void>;
    before(async () => {
      redis = await testRedis();
    });
    after(() => redis.close());
    afterEach(async () => {
      await stop();
      await jobs.close();
    });

    function run(url: string, worker: TranscribeRecording | null): void {
      jobs = new BullJobs({ redisUrl: url, log: quiet, prefix: `test-${newId()}` });
      const { transcripts } = stage;
      const sweep = new TranscriptionSweep({ transcripts, transcribe: worker, jobs, clock: systemClock });
      const closers = new Closers();
      if (worker) closers.add(startTranscriptionWorker(jobs, worker));
      closers.add(runOften(sweep));
      stop = () => closers.close();
    }

    it('finds recordings to transcribe in a periodic sweep', async () => {
      const rows = [(await stage.recorded()).row, (await stage.recorded()).row, (await stage.recorded()).row];
      run(redis.url, stage.transcribe);
      await eventually(
        async () =>
          (await Promise.all(rows.map((row) => stage.state(row)))).every((row) => row?.status === 'completed'),
        'all are transcribed',
      );
    });

    it('continues while Redis is unavailable', async () => {
      const { row } = await stage.recorded();
      run('redis://127.0.0.1:1', stage.transcribe);
      await eventually(async () => (await stage.state(row))?.status === 'completed', 'it is transcribed');
    });

    it('marks recordings as disabled if no engine is configured', async () => {
      const { call, row } = await stage.recorded();
      run(redis.url, null);
      await eventually(async () => (await stage.state(row))?.status === 'disabled', 'it is marked');
      expect((await stage.get(call)).body).to.include({ status: 'disabled', text: null });
      expect(await stage.eventsOf(call)).to.deep.equal([]);
    });
  });
});

function neverCalled(): never {
  throw new Error('an event of an expired attempt');
}
