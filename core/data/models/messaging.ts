import type { Database } from '../database.js';
import type { ChatappAccountRow, MessageSenderRow, MessageTemplateRow } from '../rows.js';
import { column, Table } from './table.js';

export const messageTemplatesOf = (db: Database): Table<MessageTemplateRow> =>
  new Table<MessageTemplateRow>(db, 'message_templates', {
    id: column.id,
    organization_id: column.uuid,
    project_id: column.uuid,
    sandbox: column.boolean,
    channel: column.text,
    name: column.text,
    language: column.text,
    category: column.text,
    status: column.text,
    rejection_reason: column.maybeText,
    provider_id: column.maybeText,
    template_id: column.maybeText,
    body: column.text,
    header: column.maybeText,
    footer: column.maybeText,
    buttons: column.json,
    variables: column.texts,
    otp_button: column.boolean,
    revision: column.integer,
    created_by_key: column.uuid,
    request_id: column.text,
    created_at: column.time,
    updated_at: column.time,
    decided_at: column.maybeTime,
  });

export const messageSendersOf = (db: Database): Table<MessageSenderRow> =>
  new Table<MessageSenderRow>(db, 'message_senders', {
    id: column.id,
    organization_id: column.uuid,
    project_id: column.uuid,
    sandbox: column.boolean,
    channel: column.text,
    sender: column.text,
    status: column.text,
    rejection_reason: column.maybeText,
    created_by_key: column.uuid,
    request_id: column.text,
    created_at: column.time,
    decided_at: column.maybeTime,
  });

export const chatappAccountsOf = (db: Database): Table<ChatappAccountRow> =>
  new Table<ChatappAccountRow>(db, 'chatapp_accounts', {
    id: column.id,
    organization_id: column.uuid,
    project_id: column.uuid,
    sandbox: column.boolean,
    phone_number: column.text,
    phone_number_id: column.text,
    business_account_id: column.text,
    access_token: column.text,
    app_secret: column.text,
    created_at: column.time,
    updated_at: column.time,
  });
