import type { Settings } from '../../config/settings.js';
import { microsFromSar } from '../../core/model/money.js';
import type { MessagePrice } from '../../core/model/rating/message-rate.js';
import type { NumberPrice } from '../../core/model/rating/number-fee.js';
import type { CallPrice } from '../../core/model/rating/rate.js';

/** The call prices of the settings. */
export function callPrices({ CALL_PRICES }: Pick<Settings, 'CALL_PRICES'>): CallPrice[] {
  return CALL_PRICES.map(({ direction, kind, sar }) => ({ direction, kind, perMinute: microsFromSar(sar) }));
}

/** The monthly prices of numbers of the settings. */
export function numberPrices({ NUMBER_PRICES }: Pick<Settings, 'NUMBER_PRICES'>): NumberPrice[] {
  return NUMBER_PRICES.map(({ kind, sar }) => ({ kind, monthly: microsFromSar(sar) }));
}

/** The prices of messages of the settings. */
export function messagePrices({ MESSAGE_PRICES }: Pick<Settings, 'MESSAGE_PRICES'>): MessagePrice[] {
  return MESSAGE_PRICES.map(({ channel, sar }) => ({ channel, perSegment: microsFromSar(sar) }));
}
