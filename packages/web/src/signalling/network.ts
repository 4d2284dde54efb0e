export interface NetworkListener {
  /** The browser may have other addresses now: another network, or the page was asleep. */
  readonly onOther: () => void;
  /** The page is being left for good. */
  readonly onLeave: () => void;
}

interface Connection extends EventTarget {
  readonly type?: string;
}

/** @returns a function that ends it */
export function followNetwork({ onOther, onLeave }: NetworkListener): () => void {
  const connection = (navigator as { connection?: Connection }).connection;
  let type = connection?.type;
  // The event also reports estimates of the speed, which change all the time.
  const onConnection = (): void => {
    if (connection?.type === type) return;
    type = connection?.type;
    onOther();
  };
  // A page that comes back from the back/forward cache has no WebSocket any more, although it may not know that yet.
  const onShow = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) onOther();
  };
  const onHide = ({ persisted }: PageTransitionEvent): void => {
    if (!persisted) onLeave();
  };
  addEventListener('online', onOther);
  addEventListener('pageshow', onShow);
  addEventListener('pagehide', onHide);
  connection?.addEventListener('change', onConnection);
  return () => {
    removeEventListener('online', onOther);
    removeEventListener('pageshow', onShow);
    removeEventListener('pagehide', onHide);
    connection?.removeEventListener('change', onConnection);
  };
}
