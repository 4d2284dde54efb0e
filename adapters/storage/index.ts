export { openObjectStores, type ObjectStoresOptions } from './stores.js';
