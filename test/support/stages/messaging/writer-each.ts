import { stageOnce } from '../../each.js';
import { MessageStage, type Writer } from './message-stage.js';

/**
 * For a `describe`: one stage, and a new project for each test. The SMSC has nothing yet, takes every message, and counts
 * the ids that it gives by project.
 * @param use receives both before each test
 */
export function writerEach(use: (stage: MessageStage, writer: Writer) => void | Promise<void>): void {
  let stage: MessageStage;
  stageOnce(
    (database) => MessageStage.start(database),
    (made) => (stage = made),
  );
  beforeEach(async () => {
    const writer = await stage.writer();
    stage.smsc.submitted.length = 0;
    stage.smsc.respond = (_, count) => ({ status: 0, id: `${writer.projectId}-${count}` });
    await use(stage, writer);
  });
}
