import { CallWriter } from '../core/data/call-writer.js';
import { Database } from '../core/data/database.js';
import { Agents } from '../core/data/repositories/agents.js';
import { BrandTable } from '../core/data/repositories/brands.js';
import { Calls } from '../core/data/repositories/calls.js';
import { Codes } from '../core/data/repositories/codes.js';
import { Conferences } from '../core/data/repositories/conferences.js';
import { Engines } from '../core/data/repositories/engines.js';
import { Inventory } from '../core/data/repositories/inventory.js';
import { Keys } from '../core/data/repositories/keys.js';
import { Numbers } from '../core/data/repositories/numbers.js';
import { Organizations } from '../core/data/repositories/organizations.js';
import { Projects } from '../core/data/repositories/projects.js';
import { QueueLog } from '../core/data/repositories/queue-log.js';
import { QueueVisits } from '../core/data/repositories/queue-visits.js';
import { Queues } from '../core/data/repositories/queues.js';
import { Recordings } from '../core/data/repositories/recordings.js';
import { Registrations } from '../core/data/repositories/registrations.js';
import { Transcripts } from '../core/data/repositories/transcripts.js';
import { Trunks } from '../core/data/repositories/trunks.js';
import { Usage } from '../core/data/repositories/usage.js';
import { VirtualNumbers } from '../core/data/repositories/virtual-numbers.js';
import { Verifications } from '../core/data/repositories/verifications.js';
import { VoicemailBoxes } from '../core/data/repositories/voicemail-boxes.js';
import { Voicemails } from '../core/data/repositories/voicemails.js';
import { CachedDirectory } from '../core/services/routing/directory.js';

/** The database and what is read and written in it; one of each a process. */
export interface Stores {
  readonly db: Database;
  readonly agents: Agents;
  readonly brands: BrandTable;
  readonly calls: Calls;
  readonly codes: Codes;
  readonly conferences: Conferences;
  readonly engines: Engines;
  readonly inventory: Inventory;
  readonly keys: Keys;
  readonly numbers: Numbers;
  readonly organizations: Organizations;
  readonly projects: Projects;
  readonly recordings: Recordings;
  readonly registrations: Registrations;
  readonly queues: Queues;
  readonly queueLog: QueueLog;
  readonly queueVisits: QueueVisits;
  readonly transcripts: Transcripts;
  readonly trunks: Trunks;
  readonly usage: Usage;
  readonly virtualNumbers: VirtualNumbers;
  readonly verifications: Verifications;
  readonly voicemailBoxes: VoicemailBoxes;
  readonly voicemails: Voicemails;
  readonly writer: CallWriter;
  readonly directory: CachedDirectory;
}

export function openStores(url: string, poolSize: number): Stores {
  const db = Database.open(url, { poolSize });
  const agents = new Agents(db);
  const numbers = new Numbers(db);
  const trunks = new Trunks(db);
  const projects = new Projects(db);
  const registrations = new Registrations(db);
  const queues = new Queues(db);
  const virtualNumbers = new VirtualNumbers(db);
  return {
    db,
    agents,
    numbers,
    trunks,
    brands: new BrandTable(db),
    calls: new Calls(db),
    codes: new Codes(db),
    conferences: new Conferences(db),
    engines: new Engines(db),
    inventory: new Inventory(db),
    keys: new Keys(db),
    organizations: new Organizations(db),
    projects,
    recordings: new Recordings(db),
    transcripts: new Transcripts(db),
    registrations,
    usage: new Usage(db),
    virtualNumbers,
    verifications: new Verifications(db),
    voicemailBoxes: new VoicemailBoxes(db),
    voicemails: new Voicemails(db),
    queues,
    queueLog: new QueueLog(db),
    queueVisits: new QueueVisits(db),
    writer: new CallWriter(db),
    directory: new CachedDirectory(numbers, agents, trunks, projects, registrations, queues, virtualNumbers),
  };
}
