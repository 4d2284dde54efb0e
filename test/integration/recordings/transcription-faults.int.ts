import { expect } from 'chai';
import { transcriptionEach, type TranscriptionStage } from '../../support/stages/transcription-stage.js';

describe('Transcription', function () {
  this.timeout(60_000);
  let stage: TranscriptionStage;
  transcriptionEach((made) => (stage = made));

  it('is retried while the server is unavailable, and finally fails', async () => {
    const { call, row } = await stage.recorded();
    stage.peer.answer = { status: 503, body: Buffer.from('down') };
    for (let attempt = 1; attempt <= 5; attempt++) {
      await stage.retryNow(row);
      const { status, attempts, due_at, problem } = (await stage.state(row))!;
      expect([status, attempts]).to.deep.equal(['pending', attempt]);
      expect(due_at!.getTime()).to.be.above(Date.now() + 20_000);
      expect(problem).to.contain('503');
    }
    expect(await stage.eventsOf(call)).to.deep.equal([]);
    expect((await stage.get(call)).body).to.include({ status: 'pending', text: null });
    await stage.retryNow(row);
    expect((await stage.get(call)).body).to.include({ status: 'failed', text: null });
    const [event] = await stage.eventsOf(call);
    expect((event?.data as { transcript: object }).transcript).to.include({ status: 'failed' });
  });

  it('succeeds when the server is available again', async () => {
    const { call, row } = await stage.recorded();
    stage.peer.answer = 'break';
    await stage.transcribe.transcribe(row.id);
    expect(await stage.transcripts.due(10)).to.deep.equal([]);
    stage.peer.answer = null;
    await stage.retryNow(row);
    expect((await stage.get(call)).body).to.include({ status: 'completed' });
  });

  it('fails without a retry if a retry cannot succeed', async () => {
    stage.peer.answer = { status: 400, body: Buffer.from('no') };
    const refused = await stage.recorded();
    await stage.transcribe.transcribe(refused.row.id);
    expect((await stage.state(refused.row))?.status).to.equal('failed');
    const gone = await stage.recorded();
    await stage.recordings.stores.of('local').remove(gone.row.storage_key!);
    await stage.transcribe.transcribe(gone.row.id);
    expect((await stage.state(gone.row))?.status).to.equal('failed');
    const call = await stage.recordings.call();
    const broken = await stage.recordings.recording(call, Buffer.from('no wav at all'), { transcribe: true });
    await stage.transcribe.transcribe(broken.id);
    expect((await stage.state(broken))?.status).to.equal('failed');
  });

  it('is deferred while the storage is unavailable', async () => {
    const { row } = await stage.recorded({ storage: 's3' });
    stage.recordings.cable.cut();
    await stage.transcribe.transcribe(row.id);
    expect(await stage.state(row)).to.include({ status: 'pending', attempts: 1 });
    stage.recordings.cable.restore();
    await stage.retryNow(row);
    expect((await stage.state(row))?.status).to.equal('completed');
  });
});
