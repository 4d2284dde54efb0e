import { CallWriter } from '../../core/data/call-writer.js';
import { Database } from '../../core/data/database.js';
import { Sessions } from '../../core/data/repositories/accounts/sessions.js';
import { Users } from '../../core/data/repositories/accounts/users.js';
import { Agents } from '../../core/data/repositories/accounts/agents.js';
import { Callflows } from '../../core/data/repositories/calls/callflows.js';
import { AllowedCallers } from '../../core/data/repositories/numbers/allowed-callers.js';
import { BlockedCallers } from '../../core/data/repositories/numbers/blocked-callers.js';
import { BrandTable } from '../../core/data/repositories/verification/brands.js';
import { CallHolds } from '../../core/data/repositories/billing/call-holds.js';
import { Cdr } from '../../core/data/repositories/calls/cdr.js';
import { Calls } from '../../core/data/repositories/calls/calls.js';
import { Challenges } from '../../core/data/repositories/verification/challenges.js';
import { Codes } from '../../core/data/repositories/verification/codes.js';
import { Conferences } from '../../core/data/repositories/calls/conferences.js';
import { CreditNotes } from '../../core/data/repositories/billing/credit-notes.js';
import { Engines } from '../../core/data/repositories/engines/engines.js';
import { Inventory } from '../../core/data/repositories/numbers/inventory.js';
import { Invoices } from '../../core/data/repositories/billing/invoices.js';
import { Keys } from '../../core/data/repositories/accounts/keys.js';
import { Ledger } from '../../core/data/repositories/billing/ledger.js';
import { NumberDocuments } from '../../core/data/repositories/numbers/number-documents.js';
import { NumberFees } from '../../core/data/repositories/billing/number-fees.js';
import { Numbers } from '../../core/data/repositories/numbers/numbers.js';
import { Messages } from '../../core/data/repositories/messaging/messages.js';
import { MessageReceipts } from '../../core/data/repositories/messaging/receipts.js';
import { MessageSenders } from '../../core/data/repositories/messaging/senders.js';
import { Submissions } from '../../core/data/repositories/messaging/submissions.js';
import { MessageTemplates } from '../../core/data/repositories/messaging/templates.js';
import { Organizations } from '../../core/data/repositories/accounts/organizations.js';
import { OwnNumberClaims } from '../../core/data/repositories/numbers/own-number-claims.js';
import { Payments } from '../../core/data/repositories/billing/payments.js';
import { Porting } from '../../core/data/repositories/numbers/porting.js';
import { Projects } from '../../core/data/repositories/accounts/projects.js';
import { AgentActivities } from '../../core/data/repositories/queues/agent-activities.js';
import { QueueLog } from '../../core/data/repositories/queues/queue-log.js';
import { QueueVisits } from '../../core/data/repositories/queues/queue-visits.js';
import { Queues } from '../../core/data/repositories/queues/queues.js';
import { RatePlans } from '../../core/data/repositories/billing/rate-plans.js';
import { Ratings } from '../../core/data/repositories/billing/ratings.js';
import { RefusedCalls } from '../../core/data/repositories/calls/refused-calls.js';
import { Recordings } from '../../core/data/repositories/calls/recordings.js';
import { Registrations } from '../../core/data/repositories/engines/registrations.js';
import { FraudDefaultsTable, HighRiskPrefixes } from '../../core/data/repositories/calls/fraud-defaults.js';
import { FraudGuardTable } from '../../core/data/repositories/calls/fraud-guard.js';
import { Transcripts } from '../../core/data/repositories/calls/transcripts.js';
import { SipContacts } from '../../core/data/repositories/sip/contacts.js';
import { SipLockouts } from '../../core/data/repositories/sip/lockouts.js';
import { SipNetworks } from '../../core/data/repositories/sip/networks.js';
import { SipRefusals } from '../../core/data/repositories/sip/refusals.js';
import { SipSubscriptions } from '../../core/data/repositories/sip/subscriptions.js';
import { SipTargetTable } from '../../core/data/repositories/engines/sip-targets.js';
import { TrunkCalls } from '../../core/data/repositories/engines/trunk-calls.js';
import { TrunkRates } from '../../core/data/repositories/engines/trunk-rates.js';
import { TrunkRoutes } from '../../core/data/repositories/engines/trunk-routes.js';
import { TrunkStates } from '../../core/data/repositories/engines/trunk-states.js';
import { Trunks } from '../../core/data/repositories/engines/trunks.js';
import { UsageEvents } from '../../core/data/repositories/billing/usage-events.js';
import { Usage } from '../../core/data/repositories/billing/usage.js';
import { VirtualNumbers } from '../../core/data/repositories/numbers/virtual-numbers.js';
import { SendAttempts } from '../../core/data/repositories/verification/send-attempts.js';
import { Verifications } from '../../core/data/repositories/verification/verifications.js';
import { VoicemailBoxes } from '../../core/data/repositories/voicemail/voicemail-boxes.js';
import { Voicemails } from '../../core/data/repositories/voicemail/voicemails.js';
import { WebSessions } from '../../core/data/repositories/web-calling/sessions.js';
import { Widgets } from '../../core/data/repositories/accounts/widgets.js';
import { Caches } from '../../core/services/access/caches.js';
import { CachedDirectory } from '../../core/services/routing/directory.js';

/** The database and its repositories, one of each per process. */
export interface Stores {
  readonly db: Database;
  readonly agents: Agents;
  readonly callflows: Callflows;
  readonly allowedCallers: AllowedCallers;
  readonly blockedCallers: BlockedCallers;
  readonly brands: BrandTable;
  readonly callHolds: CallHolds;
  readonly calls: Calls;
  readonly cdr: Cdr;
  readonly challenges: Challenges;
  readonly codes: Codes;
  readonly conferences: Conferences;
  readonly creditNotes: CreditNotes;
  readonly engines: Engines;
  readonly fraudDefaults: FraudDefaultsTable;
  readonly fraudGuard: FraudGuardTable;
  readonly highRiskPrefixes: HighRiskPrefixes;
  readonly inventory: Inventory;
  readonly invoices: Invoices;
  readonly keys: Keys;
  readonly ledger: Ledger;
  readonly messages: Messages;
  readonly messageReceipts: MessageReceipts;
  readonly messageSenders: MessageSenders;
  readonly messageSubmissions: Submissions;
  readonly messageTemplates: MessageTemplates;
  readonly numberDocuments: NumberDocuments;
  readonly numberFees: NumberFees;
  readonly numbers: Numbers;
  readonly organizations: Organizations;
  readonly ownNumberClaims: OwnNumberClaims;
  readonly payments: Payments;
  readonly porting: Porting;
  readonly projects: Projects;
  readonly ratePlans: RatePlans;
  readonly ratings: Ratings;
  readonly recordings: Recordings;
  readonly refusedCalls: RefusedCalls;
  readonly registrations: Registrations;
  readonly queues: Queues;
  readonly queueLog: QueueLog;
  readonly queueVisits: QueueVisits;
  readonly agentActivities: AgentActivities;
  readonly transcripts: Transcripts;
  readonly trunks: Trunks;
  readonly trunkCalls: TrunkCalls;
  readonly trunkRates: TrunkRates;
  readonly trunkRoutes: TrunkRoutes;
  readonly trunkStates: TrunkStates;
  readonly sessions: Sessions;
  readonly sipContacts: SipContacts;
  readonly sipLockouts: SipLockouts;
  readonly sipNetworks: SipNetworks;
  readonly sipRefusals: SipRefusals;
  readonly sipSubscriptions: SipSubscriptions;
  readonly sipTargets: SipTargetTable;
  readonly usage: Usage;
  readonly usageEvents: UsageEvents;
  readonly users: Users;
  readonly virtualNumbers: VirtualNumbers;
  readonly verifications: Verifications;
  readonly sendAttempts: SendAttempts;
  readonly voicemailBoxes: VoicemailBoxes;
  readonly voicemails: Voicemails;
  readonly webSessions: WebSessions;
  readonly widgets: Widgets;
  readonly writer: CallWriter;
  readonly directory: CachedDirectory;
  /** Cleared when any process announces a change of the configuration. */
  readonly caches: Caches;
}

export function openStores(url: string, poolSize: number): Stores {
  const db = Database.open(url, { poolSize });
  const agents = new Agents(db);
  const numbers = new Numbers(db);
  const trunks = new Trunks(db);
  const trunkRates = new TrunkRates(db);
  const trunkRoutes = new TrunkRoutes(db);
  const projects = new Projects(db);
  const registrations = new Registrations(db);
  const queues = new Queues(db);
  const virtualNumbers = new VirtualNumbers(db);
  const callflows = new Callflows(db);
  const blockedCallers = new BlockedCallers(db);
  const webSessions = new WebSessions(db);
  const guards = { fraudDefaults: new FraudDefaultsTable(db), highRiskPrefixes: new HighRiskPrefixes(db) };
  const directory = new CachedDirectory(
    numbers,
    agents,
    { trunks, routes: trunkRoutes, rates: trunkRates },
    projects,
    registrations,
    queues,
    virtualNumbers,
    callflows,
    blockedCallers,
    guards,
    webSessions,
  );
  const caches = new Caches();
  caches.add(() => directory.invalidate());
  return {
    db,
    agents,
    numbers,
    trunks,
    trunkCalls: new TrunkCalls(db),
    trunkRates,
    trunkRoutes,
    trunkStates: new TrunkStates(db),
    sipContacts: new SipContacts(db),
    sipLockouts: new SipLockouts(db),
    sipNetworks: new SipNetworks(db),
    sipRefusals: new SipRefusals(db),
    sipSubscriptions: new SipSubscriptions(db),
    sipTargets: new SipTargetTable(db),
    callflows,
    allowedCallers: new AllowedCallers(db),
    blockedCallers,
    ...guards,
    brands: new BrandTable(db),
    callHolds: new CallHolds(db),
    calls: new Calls(db),
    cdr: new Cdr(db),
    creditNotes: new CreditNotes(db),
    challenges: new Challenges(db),
    codes: new Codes(db),
    conferences: new Conferences(db),
    engines: new Engines(db),
    fraudGuard: new FraudGuardTable(db),
    inventory: new Inventory(db),
    messages: new Messages(db),
    messageReceipts: new MessageReceipts(db),
    messageSenders: new MessageSenders(db),
    messageSubmissions: new Submissions(db),
    messageTemplates: new MessageTemplates(db),
    numberDocuments: new NumberDocuments(db),
    numberFees: new NumberFees(db),
    ownNumberClaims: new OwnNumberClaims(db),
    payments: new Payments(db),
    porting: new Porting(db),
    invoices: new Invoices(db),
    keys: new Keys(db),
    organizations: new Organizations(db),
    projects,
    ledger: new Ledger(db),
    ratePlans: new RatePlans(db),
    ratings: new Ratings(db),
    recordings: new Recordings(db),
    refusedCalls: new RefusedCalls(db),
    sessions: new Sessions(db),
    transcripts: new Transcripts(db),
    users: new Users(db),
    registrations,
    usage: new Usage(db),
    usageEvents: new UsageEvents(db),
    virtualNumbers,
    verifications: new Verifications(db),
    sendAttempts: new SendAttempts(db),
    voicemailBoxes: new VoicemailBoxes(db),
    voicemails: new Voicemails(db),
    webSessions,
    widgets: new Widgets(db),
    queues,
    queueLog: new QueueLog(db),
    queueVisits: new QueueVisits(db),
    agentActivities: new AgentActivities(db),
    writer: new CallWriter(db),
    directory,
    caches,
  };
}
