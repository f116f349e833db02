/** Short, so that it is not cut beside the filters. */
export const searchPlaceholder = 'Search services and tools';
