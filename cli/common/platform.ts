import type { Registrations } from '../../core/data/repositories/engines/registrations.js';
import type { RatePlanVersion } from '../../core/data/repositories/billing/rate-plans.js';
import type {
  CallflowRow,
  NumberDocumentRow,
  OrganizationEndingRow,
  OrganizationRow,
  OwnNumberClaimRow,
  PortingRequestRow,
  ProjectRow,
} from '../../core/data/rows.js';
import type { ForwardingChange } from '../../core/model/call/forwarding.js';
import type { MicroSar } from '../../core/model/money.js';
import type { PortingStatus } from '../../core/model/number/porting.js';
import type { Report } from '../../core/model/privacy/report.js';
import type { MessageRate } from '../../core/model/rating/message-rate.js';
import type { NumberFee } from '../../core/model/rating/number-fee.js';
import type { Rate } from '../../core/model/rating/rate.js';
import type { KeyService } from '../../core/services/access/keys.js';
import type { Administrators } from '../../core/services/administration/administrators.js';
import type { Features } from '../../core/services/administration/features.js';
import type { ScriptTokens } from '../../core/services/administration/script-tokens.js';
import type { AgentService, AgentView } from '../../core/services/agents/agents.js';
import type { VerifyAudit } from '../../core/services/audit/verify.js';
import type { BillingAccountState } from '../../core/services/billing/account.js';
import type { PlanService } from '../../core/services/billing/plans.js';
import type { RatingReport } from '../../core/services/billing/rerating.js';
import type { BlockedCallerAnswers } from '../../core/services/blocked-callers/answers.js';
import type { ManageAllowedCallers, ManageBlockedCallers } from '../../core/services/blocked-callers/manage.js';
import type { ReviewSenders } from '../../core/services/messaging/reviewing/review-senders.js';
import type { Brands } from '../../core/services/brands/brands.js';
import type { OperateCalls } from '../../core/services/calls/operate.js';
import type { OperatorCdr } from '../../core/services/cdr/operator-export.js';
import type { ManageHighRiskPrefixes } from '../../core/services/dialling/high-risk-prefixes.js';
import type { ManageFraud } from '../../core/services/dialling/manage-fraud.js';
import type { ManageFraudDefaults } from '../../core/services/dialling/manage-fraud-defaults.js';
import type { ProjectLimits } from '../../core/services/dialling/project-limits.js';
import type { ManageSipGuards } from '../../core/services/sip-guards/manage.js';
import type { SipTargets } from '../../core/services/dialling/sip-targets.js';
import type { EngineService } from '../../core/services/engines/manage.js';
import type { CreditInvoices } from '../../core/services/invoices/crediting.js';
import type { ReadCreditNotes } from '../../core/services/invoices/credit-notes.js';
import type { IssueInvoices } from '../../core/services/invoices/issuing.js';
import type { ReadInvoices } from '../../core/services/invoices/reading.js';
import type {
  NumberAdministration,
  PortingCase,
} from '../../core/services/number-administration/number-administration.js';
import type { ImportNumbers } from '../../core/services/numbers/import.js';
import type { NumberService } from '../../core/services/numbers/numbers.js';
import type { ReadStatus } from '../../core/services/overview/status.js';
import type { OwnerContacts } from '../../core/services/owners/contacts.js';
import type { PaymentAdministration } from '../../core/services/payments/administration.js';
import type { OrganizationChoice } from '../../core/services/projects/create.js';
import type { ReadQueues } from '../../core/services/queues/read.js';
import type { ManageRecordings } from '../../core/services/recordings/manage.js';
import type { ReadRefusedCalls } from '../../core/services/refused-calls/reading.js';
import type { Removal } from '../../core/services/removal/removal.js';
import type { ReadTrunkFigures } from '../../core/services/trunks/figures.js';
import type { TrunkRateService } from '../../core/services/trunks/rates.js';
import type { TrunkRouteService } from '../../core/services/trunks/routes.js';
import type { TrunkService } from '../../core/services/trunks/trunks.js';
import type { VoicemailPins } from '../../core/services/voicemail/pins.js';
import type { OperateWebhooks } from '../../core/services/webhooks/operate.js';
import type { WidgetService } from '../../core/services/widgets/manage.js';

/** A project as commands see it. */
export type ProjectView = Omit<ProjectRow, 'signing_secret' | 'fraud_limits'>;

/** An organization as commands see it. */
export type OrganizationView = Pick<OrganizationRow, 'id' | 'name' | 'account_kind' | 'contact_email'>;

/** How far the deletion of an organization is. */
export interface OrganizationDeletion extends Pick<
  OrganizationEndingRow,
  'organization_id' | 'organization_name' | 'status' | 'step' | 'problem' | 'kept_until' | 'created_at' | 'finished_at'
> {
  readonly report: Report;
  readonly archive: { readonly files: number; readonly bytes: number; readonly expires_at: Date | null };
}

/** A call flow that calls can be sent to. */
export type FlowName = Pick<CallflowRow, 'id' | 'name' | 'sandbox'>;

/** Prices and balances. */
export interface BillingPort {
  readonly plans: Pick<PlanService, 'list' | 'newest' | 'assign' | 'setMode'> & {
    /** As {@link PlanService.add}. */
    add(
      name: string,
      rates: readonly Rate[],
      validFrom: Date,
      onProgress?: (written: number) => void,
      numberFees?: readonly NumberFee[],
      messageRates?: readonly MessageRate[],
    ): Promise<Pick<RatePlanVersion, 'version'>>;
  };
  readonly balances: {
    pool(organizationId: string): Promise<MicroSar>;
    project(organizationId: string, projectId: string): Promise<MicroSar>;
    /** @returns false if the payment was booked before */
    topUp(organizationId: string, amount: MicroSar, reference: string, note: string | null): Promise<boolean>;
    allocate(organizationId: string, projectId: string, amount: MicroSar): Promise<void>;
  };
  readonly account: {
    read(organizationId: string, projectId: string): Promise<BillingAccountState>;
    setCaps(caps: {
      readonly project_id: string;
      readonly day: MicroSar | null;
      readonly month: MicroSar | null;
    }): Promise<void>;
  };
  /** @param from a day of Riyadh, `YYYY-MM-DD` @param to included */
  compareRatings(from: string, to: string): Promise<RatingReport>;
  /** As {@link compareRatings}, and books the differences. */
  bookRatings(from: string, to: string): Promise<RatingReport>;
}

/** Reviews of porting requests and of claims to numbers. */
export interface NumberReviews extends Pick<
  NumberAdministration,
  'approveClaim' | 'rejectClaim' | 'review' | 'schedule' | 'complete' | 'reject' | 'history'
> {
  portings(status: PortingStatus | null): Promise<readonly PortingRequestRow[]>;
  porting(id: string): Promise<PortingCase>;
  claims(status: OwnNumberClaimRow['status'] | null): Promise<readonly OwnNumberClaimRow[]>;
  claim(id: string): ReturnType<NumberAdministration['claim']>;
  /** The bytes of a document of a request or of a claim. */
  read(document: NumberDocumentRow): Promise<NodeJS.ReadableStream>;
}

/**
 * What commands work on: the port between them and an installation. `main/command` implements it by the services on the
 * database of this installation, `cli/remote` by the routes of administrators of another one. Both throw the same errors:
 * a refusal is a HatifError or, from another installation, a `ApiRefusal` with its code and message.
 */
export interface Platform {
  readonly projects: readonly ProjectView[];
  readonly contacts: Pick<OwnerContacts, 'set'> & { list(): Promise<readonly OrganizationView[]> };
  readonly deletions: {
    /** @param name the name of the organization, exactly */
    begin(organizationId: string, name: string): Promise<OrganizationDeletion>;
    read(organizationId: string): Promise<OrganizationDeletion>;
  };
  readonly createProjects: {
    /** Creates the project, and its organization if it is new, or nothing. */
    create(
      name: string,
      of: OrganizationChoice,
    ): Promise<{ readonly organization: Pick<OrganizationRow, 'id' | 'name'>; readonly project: ProjectView }>;
  };
  readonly features: Pick<Features, 'list' | 'set'>;
  readonly registrations: Pick<Registrations, 'ofProject'>;
  readonly callflows: { list(projectId: string): Promise<readonly FlowName[]> };
  readonly status: Pick<ReadStatus, 'read'>;
  readonly calls: Pick<OperateCalls, 'list' | 'get' | 'timeline' | 'hangup'>;
  readonly queues: Pick<ReadQueues, 'list' | 'stats' | 'members' | 'waiting'>;
  readonly webhooks: Pick<OperateWebhooks, 'list' | 'deliveriesOf' | 'redeliver'>;
  readonly removal: Pick<Removal, 'agent' | 'number' | 'trunk'>;
  readonly keys: Pick<KeyService, 'create' | 'list' | 'revoke'>;
  readonly trunks: Pick<TrunkService, 'add' | 'change' | 'listWatched'>;
  readonly trunkRoutes: Pick<TrunkRouteService, 'add' | 'list' | 'remove'>;
  readonly trunkRates: Pick<TrunkRateService, 'list' | 'replace'>;
  readonly trunkFigures: Pick<ReadTrunkFigures, 'of' | 'attempts'>;
  readonly refusedCalls: Pick<ReadRefusedCalls, 'list'>;
  readonly blockedCallers: Pick<ManageBlockedCallers, 'add' | 'all' | 'remove'>;
  readonly allowedCallers: Pick<ManageAllowedCallers, 'add' | 'all' | 'remove'>;
  readonly blockedCallerAnswers: Pick<BlockedCallerAnswers, 'read' | 'set'>;
  readonly numbers: Pick<NumberService, 'add' | 'list' | 'bind' | 'setDefaultDestination'>;
  readonly voicemailPins: Pick<VoicemailPins, 'set'>;
  readonly numbering: { readonly administration: NumberReviews; readonly imports: Pick<ImportNumbers, 'run'> };
  readonly agents: Pick<AgentService, 'add' | 'list' | 'setCallingOut' | 'setRecordCalls' | 'renewPassword'>;
  readonly forwarding: {
    /** @throws errors of the targets */
    change(projectId: string, agent: string, change: ForwardingChange): Promise<Pick<AgentView, 'forwarding'>>;
  };
  readonly recordings: Pick<ManageRecordings, 'list' | 'setLegalHold' | 'delete' | 'setPolicy'>;
  readonly limits: Pick<ProjectLimits, 'set'>;
  readonly fraud: Pick<ManageFraud, 'read' | 'overrides' | 'ofAgent' | 'set' | 'setOfAgent' | 'blocks' | 'release'>;
  readonly sipGuards: Pick<
    ManageSipGuards,
    'edge' | 'blocked' | 'release' | 'refusals' | 'networks' | 'put' | 'remove'
  >;
  readonly fraudDefaults: Pick<ManageFraudDefaults, 'own' | 'inForce' | 'set'>;
  readonly highRiskPrefixes: Pick<ManageHighRiskPrefixes, 'list' | 'add' | 'remove'>;
  readonly sipTargets: Pick<SipTargets, 'add' | 'list' | 'remove' | 'allows'>;
  readonly engines: Pick<EngineService, 'add' | 'list' | 'secretOf' | 'drain' | 'resume' | 'remove'>;
  readonly billing: BillingPort;
  readonly invoicing: {
    readonly issue: Pick<IssueInvoices, 'run'>;
    readonly read: Pick<ReadInvoices, 'page' | 'pdfOf'>;
    readonly credit: Pick<CreditInvoices, 'issue'>;
    readonly readCredits: Pick<ReadCreditNotes, 'page' | 'pdfOf'>;
  };
  readonly cdr: Pick<OperatorCdr, 'csv'>;
  readonly paying: { readonly administration: Pick<PaymentAdministration, 'list' | 'confirm' | 'reject' | 'refund'> };
  readonly messageSenders: Pick<ReviewSenders, 'waiting' | 'approve' | 'reject'>;
  readonly brands: Pick<Brands, 'waiting' | 'approve' | 'reject'>;
  readonly widgets: Pick<WidgetService, 'create' | 'list' | 'revoke'>;
  readonly audit: Pick<VerifyAudit, 'run'>;
  readonly administrators: Pick<Administrators, 'create'>;
  readonly scriptTokens: Pick<ScriptTokens, 'create' | 'list' | 'revoke'>;
}
