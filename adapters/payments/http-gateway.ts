import { z } from 'zod';
import { MICROS_PER_HALALA } from '../../core/model/money.js';
import {
  PaymentProviderError,
  type PaymentOrder,
  type PaymentProvider,
  type ProviderState,
} from '../../core/ports/payment.js';
import { NoResponseError, type JsonAnswer } from '../http/json-request.js';
import { SignedJsonClient, type SignedJsonOptions } from '../http/signed-json.js';
import { gatewayPayment, stateOf } from './gateway-state.js';

const DAY_MS = 86_400_000;

const refusal = z.object({ error: z.string(), message: z.string().min(1).max(500).optional() });

/** Statuses that reject the payment, not our access. */
const REFUSALS: ReadonlySet<number> = new Set([400, 402, 409, 410, 422]);

/**
 * A payment gateway with the JSON protocol of docs/reference/payments.md: `PUT`, `GET` and `DELETE /payments/{id}`,
 * each request signed.
 */
export class HttpPaymentGateway implements PaymentProvider {
  readonly method = 'gateway';
  readonly lifetimeMs = DAY_MS;
  readonly isPollable = true;
  readonly account = null;
  readonly #client: SignedJsonClient;

  constructor(options: SignedJsonOptions) {
    this.#client = new SignedJsonClient(options);
  }

  async open({ id, reference, total, returnUrl, expiresAt }: PaymentOrder): Promise<ProviderState> {
    const answer = await this.#ask('PUT', id, {
      reference,
      amount_halalas: total / MICROS_PER_HALALA,
      currency: 'SAR',
      return_url: returnUrl,
      expires_at: expiresAt.toISOString(),
    });
    if (answer.status === 200 || answer.status === 201) return read(id, answer);
    throw failureOf(answer);
  }

  async getState(id: string): Promise<ProviderState> {
    const answer = await this.#ask('GET', id);
    if (answer.status === 200) return read(id, answer);
    throw failureOf(answer);
  }

  async close(id: string): Promise<ProviderState> {
    const answer = await this.#ask('DELETE', id);
    if (answer.status === 200) return read(id, answer);
    // The gateway never received the payment.
    if (answer.status === 404 || answer.status === 410) return { status: 'cancelled', reason: null };
    throw failureOf(answer);
  }

  /** Closes the connections when the process ends. */
  async disconnect(): Promise<void> {
    await this.#client.close();
  }

  async #ask(method: 'GET' | 'PUT' | 'DELETE', id: string, json?: object): Promise<JsonAnswer> {
    try {
      return await this.#client.ask(method, `/payments/${id}`, json);
    } catch (error) {
      if (!(error instanceof NoResponseError)) throw error;
      throw new PaymentProviderError('unavailable', `the gateway ${error.message}`, { cause: error });
    }
  }
}

function read(id: string, { body }: JsonAnswer): ProviderState {
  const payment = gatewayPayment.safeParse(body);
  if (!payment.success || payment.data.id !== id) {
    throw new PaymentProviderError('unavailable', 'the gateway’s response is not in the agreed format');
  }
  return stateOf(payment.data);
}

function failureOf({ status, body }: JsonAnswer): PaymentProviderError {
  const refusalBody = refusal.safeParse(body).data;
  const message = refusalBody?.message ?? refusalBody?.error ?? `the gateway answered ${status}`;
  return new PaymentProviderError(REFUSALS.has(status) ? 'refused' : 'unavailable', message);
}
