import type { SipMemory, SipNotice } from '../../../../core/ports/sip/memory.js';

/** The memory of an edge with one process. Nothing in it expires. */
export function ownMemory(): SipMemory & { readonly notices: SipNotice[] } {
  const numbers = new Map<string, number>();
  const texts = new Map<string, string>();
  const listeners = new Set<(notice: SipNotice) => void>();
  const notices: SipNotice[] = [];
  return {
    notices,
    useNonce(nonce, count) {
      const isNew = count > (numbers.get(nonce) ?? 0);
      if (isNew) numbers.set(nonce, count);
      return Promise.resolve(isNew);
    },
    count(key) {
      const count = (numbers.get(key) ?? 0) + 1;
      numbers.set(key, count);
      return Promise.resolve(count);
    },
    read: (key) => Promise.resolve(texts.get(key) ?? null),
    write(key, text) {
      texts.set(key, text);
      return Promise.resolve();
    },
    writeIfAbsent(key, text) {
      if (!texts.has(key)) texts.set(key, text);
      return Promise.resolve();
    },
    remove(key) {
      texts.delete(key);
      numbers.delete(key);
      return Promise.resolve();
    },
    announce(notice) {
      notices.push(notice);
      for (const listener of listeners) listener(notice);
      return Promise.resolve();
    },
    follow(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
