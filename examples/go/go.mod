module example.com/galaxy

go 1.19
