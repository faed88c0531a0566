export const title = "Two rooms, ";
