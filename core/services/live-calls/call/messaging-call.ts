import type { CallHost } from './call-host.js';
import type { MessageControl, MessageView } from '../../call-state/program.js';

const STATUS: Readonly<Record<string, MessageView['status']>> = {
  recording: 'recording',
  paused: 'recording',
  held: 'held',
  stopped: 'sent',
  available: 'sent',
};

/** What a program may do with messages that the customer leaves. Every method runs in the call's turn. */
export class MessagingCall implements MessageControl {
  constructor(private readonly live: CallHost) {}

  get(recordingId: string): MessageView | null {
    const recording = this.live.state.recording(recordingId);
    if (!recording) return null;
    const { status, started_at, ended_at } = recording;
    return {
      status: STATUS[status] ?? 'dropped',
      durationMs: ended_at === null ? 0 : ended_at.getTime() - started_at.getTime(),
    };
  }

  async record(legId: string, boxId: string, recordingId: string, maxSeconds: number): Promise<void> {
    const message = { id: recordingId, box_id: boxId, is_greeting: null, max_seconds: maxSeconds };
    await this.live.recordings.startMessage(legId, message);
  }

  async recordGreeting(legId: string, boxId: string, recordingId: string, maxSeconds: number): Promise<void> {
    const greeting = { id: recordingId, box_id: boxId, is_greeting: true, max_seconds: maxSeconds };
    await this.live.recordings.startMessage(legId, greeting);
  }

  async stop(recordingId: string): Promise<void> {
    await this.live.recordings.stopMessage(recordingId);
  }

  send(recordingId: string): void {
    this.live.state.leaveHold(recordingId, 'stopped');
  }

  async drop(recordingId: string): Promise<void> {
    await this.live.recordings.dropMessage(recordingId);
  }
}
